const z = 1.6448536269514722;
const z2 = z * z;

/**
 * Lower bound of a proportion (Wilson, one-sided 95 %) of `x` good in `n`, both may be fractions; 0 when n ≤ 0.
 * The order of the operations is part of the model: it makes the result the same bits everywhere.
 */
export function wilson(x: number, n: number): number {
  if (n <= 0) return 0;
  const p = x / n;
  const spread = z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  return Math.max(0, (p + z2 / (2 * n) - spread) / (1 + z2 / n));
}

/** Cuts a value to [0, 1]. */
export function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** Rounds a value ≥ 0 for storing: ⌊value · scale + 0.5⌋. */
export function rounded(value: number, scale: number): number {
  return Math.floor(value * scale + 0.5);
}
