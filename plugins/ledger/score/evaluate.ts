import { type ComponentName, type Profile, type ScoreStatus } from '../shapes.ts';
import type { Debt } from './debt.ts';
import { ceilings, lineage, profiles, weights } from './model.ts';
import type { Totals } from './totals.ts';
import { clamp, rounded, wilson } from './wilson.ts';
import { componentNames } from '../shapes.ts';

/** The evidence for judging one Orb on one day. */
interface Evidence {
  readonly profile: Profile;
  /** Days since the epoch. */
  readonly day: number;
  readonly own: Totals;
  /** Totals of the next lower version of the name that has a counted run in the window. */
  readonly parent?: Totals;
  readonly debt: Debt;
}

/** The judgement: integers as they are stored and compared. */
export interface Evaluation {
  readonly status: Exclude<ScoreStatus, 'suspended'>;
  /** Absent: unscored. */
  readonly score_milli?: number;
  readonly limited_by?: ComponentName;
  readonly n_eff_milli: number;
  readonly nc_milli: number;
  readonly r_micro: number;
  readonly debt_milli: number;
  readonly active_days: number;
  readonly callers: number;
  /** Thousandths of the component's value and of its points, in the order of the components. */
  readonly values_milli: readonly number[];
  readonly points_milli: readonly number[];
  /** Raw number of counted runs in the window. */
  readonly counted: number;
  /** Days since the epoch. */
  readonly last_good?: number;
}

/** Judges one Orb on one day: a pure function that gives the same bits on every machine. */
export function evaluate(evidence: Evidence): Evaluation {
  const { profile, own, parent, debt } = evidence;
  const { kappa, provisional_n_eff_milli } = profiles[profile];
  const k = Math.min(1, own.nc / kappa);
  const effective = k * own.attempts;
  const bounds = boundsOf(own, k, inherited(parent, kappa));
  const values = valuesOf(evidence, k, bounds);
  const scored = own.attempts > 0 || (parent !== undefined && parent.attempts > 0);
  const { score, limitedBy } = limit(values);
  const n_eff_milli = rounded(effective, 1000);
  const firm = own.callers >= 2 && n_eff_milli >= provisional_n_eff_milli;
  return {
    status: scored ? (firm ? 'scored' : 'provisional') : 'unscored',
    ...(scored ? { score_milli: rounded(score, 1000) } : {}),
    ...(scored && limitedBy !== undefined ? { limited_by: limitedBy } : {}),
    n_eff_milli,
    nc_milli: rounded(own.nc, 1000),
    r_micro: rounded(bounds.reliability, 1_000_000),
    debt_milli: debt.debt_milli,
    active_days: own.activeDays,
    callers: own.callers,
    values_milli: values.map((value) => rounded(value, 1000)),
    points_milli: componentNames.map((name, at) => rounded(weights[name] * (values[at] ?? 0), 1000)),
    counted: own.counted,
    ...(own.lastGood === undefined ? {} : { last_good: own.lastGood }),
  };
}

function inherited(parent: Totals | undefined, kappa: number) {
  if (parent === undefined || parent.attempts <= 0) return undefined;
  const effective = Math.min(1, parent.nc / kappa) * parent.attempts;
  return { runs: Math.min(lineage.cap, effective / lineage.divisor), parent };
}

function boundsOf(own: Totals, k: number, from: ReturnType<typeof inherited>) {
  const bound = (good: number, all: number, parentGood: number, parentAll: number): number => {
    if (from === undefined || parentAll <= 0) return wilson(k * good, k * all);
    return wilson(k * good + (from.runs * parentGood) / parentAll, k * all + from.runs);
  };
  const parent = from?.parent;
  return {
    reliability: bound(own.good, own.attempts, parent?.good ?? 0, parent?.attempts ?? 0),
    contract: bound(own.good, own.delivered, parent?.good ?? 0, parent?.delivered ?? 0),
    latency: bound(own.fast, own.timed, parent?.fast ?? 0, parent?.timed ?? 0),
  };
}

function valuesOf({ day, own, debt }: Evidence, k: number, bounds: ReturnType<typeof boundsOf>): readonly number[] {
  const maturity =
    0.5 * Math.min(1, (k * own.good) / 500) + 0.3 * Math.min(1, own.nc / 8) + 0.2 * Math.min(1, own.activeDays / 60);
  return [
    clamp((bounds.reliability - 0.9) / 0.1),
    clamp((bounds.contract - 0.9) / 0.1),
    clamp((bounds.latency - 0.8) / 0.15),
    debt.integrity ? 0 : 1,
    clamp(1 - debt.debt_milli / 100_000),
    maturity,
    freshness(own.lastGood, day),
  ];
}

function freshness(lastGood: number | undefined, day: number): number {
  if (lastGood === undefined) return 0;
  const age = day - lastGood;
  return age <= 7 ? 1 : clamp((60 - age) / 53);
}

function limit(values: readonly number[]): { readonly score: number; readonly limitedBy: ComponentName | undefined } {
  let raw = 0;
  for (const [at, name] of componentNames.entries()) raw += weights[name] * (values[at] ?? 0);
  let score = raw;
  let limitedBy: ComponentName | undefined;
  for (const { name, base, slope } of ceilings) {
    const ceiling = base + slope * (values[componentNames.indexOf(name)] ?? 0);
    if (ceiling < score) [score, limitedBy] = [ceiling, name];
  }
  return { score, limitedBy };
}
