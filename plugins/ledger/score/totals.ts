import { runDecay } from './decay.ts';
import { unit, windowDays } from './model.ts';

/** Raw counts of one caller on one day. */
export interface CallerDay {
  /** Days since the epoch. */
  readonly day: number;
  /** 64 hex. */
  readonly caller: string;
  readonly ok: number;
  readonly fault: number;
  /** Outputs that broke the schema; part of `fault`. */
  readonly broken: number;
  readonly fast: number;
  readonly slow: number;
}

/** Decayed sums of one Orb over the window, as effective runs. */
export type Totals = ReturnType<typeof totalsOf>;

const scale = unit * 1000;
// Each sum is converted once (nearest even), then divided.
const runs = (sum: bigint): number => Number(sum) / scale;

/** Sums the caller-days of the window that ends with `day`; the order of the rows does not matter. */
export function totalsOf(rows: Iterable<CallerDay>, day: number) {
  const sum = { a: 0n, g: 0n, b: 0n, f: 0n, z: 0n };
  const perCaller = new Map<string, bigint>();
  const goodDays = new Set<number>();
  let counted = 0;
  for (const row of rows) {
    const age = day - row.day;
    const n = row.ok + row.fault;
    if (age < 0 || age >= windowDays || n <= 0) continue;
    const decay = BigInt(runDecay[age] ?? 0);
    const weight = callerDayWeight(n);
    const of = (part: number): bigint => decay * BigInt(share(weight, part, n));
    const attempts = decay * BigInt(weight);
    sum.a += attempts;
    sum.g += of(row.ok);
    sum.b += of(row.broken);
    sum.f += of(row.fast);
    sum.z += of(row.slow);
    perCaller.set(row.caller, (perCaller.get(row.caller) ?? 0n) + attempts);
    if (row.ok > 0) goodDays.add(row.day);
    counted += n;
  }
  let squares = 0n;
  for (const attempts of perCaller.values()) squares += attempts * attempts;
  return {
    /** All attempts. */
    attempts: runs(sum.a),
    good: runs(sum.g),
    /** good + broken */
    delivered: runs(sum.g + sum.b),
    fast: runs(sum.f),
    /** fast + slow */
    timed: runs(sum.f + sum.z),
    /** Effective number of callers: A² / Σ A_c². */
    nc: squares === 0n ? 0 : Number(sum.a * sum.a) / Number(squares),
    callers: perCaller.size,
    activeDays: goodDays.size,
    /** Raw number of counted runs. */
    counted,
    /** Days since the epoch. */
    lastGood: goodDays.size === 0 ? undefined : Math.max(...goodDays),
  };
}

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
