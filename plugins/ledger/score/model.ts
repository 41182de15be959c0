import { canonical, digest } from '../../../kernel/index.ts';
import { objectiveMaximumMs, type Profile } from '../shapes.ts';
import { incidentDecay, runDecay } from './decay.ts';

/** Id of the scoring model. */
const modelId = 'orb-score/1';
/** Days of the window, the day of evaluation included. */
export const windowDays = 180;
/** The value 1 in the fixed-point tables of decay. */
export const unit = 1_048_576;

/** Gates of a tier in one profile; integers as they are stored. */
export interface TierGates {
  readonly score_milli: number;
  readonly n_eff_milli: number;
  readonly nc_milli: number;
  readonly active_days: number;
  /** 0: this gate is not used. */
  readonly r_micro: number;
  /** Number of consecutive snapshots that must meet the gates. */
  readonly consecutive: number;
}

/** The numbers that differ between the profiles. */
interface ProfileNumbers {
  /** Effective number of callers from which the evidence counts in full. */
  readonly kappa: number;
  /** Number of effective runs below which a score is provisional, thousandths. */
  readonly provisional_n_eff_milli: number;
  /** bronze, silver, gold, platinum. */
  readonly gates: readonly [TierGates, TierGates, TierGates, TierGates];
}

const gates = (
  score_milli: number,
  n_eff_milli: number,
  nc_milli: number,
  active_days: number,
  r_micro: number,
  consecutive: number,
): TierGates => ({ score_milli, n_eff_milli, nc_milli, active_days, r_micro, consecutive });

/** Numbers of the two profiles. */
export const profiles: Readonly<Record<Profile, ProfileNumbers>> = {
  'multi-tenant': {
    kappa: 4,
    provisional_n_eff_milli: 30_000,
    gates: [
      gates(60_000, 30_000, 2000, 3, 0, 1),
      gates(75_000, 100_000, 2500, 14, 950_000, 7),
      gates(85_000, 300_000, 4000, 30, 980_000, 7),
      gates(93_000, 1_000_000, 8000, 90, 995_000, 7),
    ],
  },
  'single-org': {
    kappa: 2,
    provisional_n_eff_milli: 15_000,
    gates: [
      gates(60_000, 15_000, 1500, 2, 0, 1),
      gates(75_000, 50_000, 1500, 7, 950_000, 7),
      gates(85_000, 150_000, 2000, 15, 980_000, 7),
      gates(93_000, 500_000, 4000, 45, 995_000, 7),
    ],
  },
};

/** How long a tier is retained, and what ends it. */
export const retention = {
  score_below_milli: 3000,
  evidence_percent: 80,
  r_below_micro: 5000,
  failures_to_demote: 3,
  suspended_snapshots_to_lose: 14,
} as const;

/** Weights of severities, and the cost of incidents. */
export const incidentNumbers = {
  severity: { critical: 40, high: 20, warning: 8, info: 0 },
  authority: { strong: 10, shared_secret: 6, other: 0 },
  divisor: 20,
  suspend_tier: 'gold',
  suspend_share: '1/2',
} as const;

/** Pseudo-runs a new version inherits: a quarter of its parent's effective runs, at most this many. */
export const lineage = { cap: 50, divisor: 4 } as const;

/** Weights of the components, in order. */
export const weights = {
  reliability: 35,
  contract: 20,
  latency: 15,
  integrity: 10,
  incidents: 10,
  maturity: 5,
  freshness: 5,
} as const;

const values: Readonly<Record<keyof typeof weights, string>> = {
  reliability: 'clamp((R - 0.9)/0.1)',
  contract: 'clamp((C - 0.9)/0.1)',
  latency: 'clamp((L - 0.8)/0.15)',
  integrity: '0 while an integrity incident of the Orb is open, else 1',
  incidents: 'clamp(1 - debt_milli/100000)',
  maturity: '0.5*min(1, kappa*runs(G)/500) + 0.3*min(1, nc/8) + 0.2*min(1, active_days/60)',
  freshness: '1 when the last good run is at most 7 days old, else clamp((60 - age)/53)',
};

/** The weakest component limits the score: no strength elsewhere lifts it above these ceilings. */
export const ceilings = [
  { name: 'reliability', base: 40, slope: 60 },
  { name: 'contract', base: 40, slope: 60 },
  { name: 'integrity', base: 20, slope: 80 },
  { name: 'incidents', base: 30, slope: 70 },
] as const;

/** The scoring document: every number of the model as integers and text. */
export const scoringDocument = Object.freeze({
  id: modelId,
  window_days: windowDays,
  caller_day: { full_runs: 20, full_milli: 1000, then_milli: 'floor(20000/k)' },
  decay: { unit, runs: runDecay, incidents: incidentDecay },
  wilson: { z: '1.6448536269514722' },
  components: Object.entries(weights).map(([name, weight]) => ({
    name,
    weight,
    value: values[name as keyof typeof weights],
  })),
  ceilings,
  incidents: incidentNumbers,
  lineage,
  profiles,
  provisional_callers_below: 2,
  retention,
  objective_maximum_ms: objectiveMaximumMs,
});

/** The scoring document in canonical form (RFC 8785): the bytes that are served. */
export const scoringText: string = canonical(scoringDocument);

/** Names the scoring document by its digest. */
export const scoringPolicy: { readonly id: string; readonly digest: string } = Object.freeze({
  id: modelId,
  digest: digest(scoringText),
});
