// W(n) = Σ w(k) in milli-runs: the first 20 runs of a caller on a day count in full, then ⌊20000/k⌋.
const largest = 20_000;
const cumulative = new Uint32Array(largest + 1);
for (let k = 1; k <= largest; k++) {
  cumulative[k] = (cumulative[k - 1] ?? 0) + (k <= 20 ? 1000 : Math.floor(20_000 / k));
}

/** Weighs the runs of one caller on one day, in thousandths of a run; n ≥ 0. */
export function callerDayWeight(n: number): number {
  return cumulative[Math.min(n, largest)] ?? 0;
}

/** Shares a weight out: ⌊weight · part / whole⌋, exactly. */
export function share(weight: number, part: number, whole: number): number {
  const product = weight * part;
  return (product - (product % whole)) / whole;
}
