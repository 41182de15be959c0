import { type Profile, type UnmetGate } from '../contract.ts';
import type { Burden, Debt } from '../score/debt.ts';
import type { Evaluation } from '../score/evaluate.ts';
import { profiles, retention, type TierGates } from '../score/model.ts';
import { tiers, type Tier } from '../shapes.ts';

/** The inputs for tiers besides the evaluation. */
export interface Judged {
  readonly evaluation: Evaluation;
  readonly debt: Debt;
  /** `manifest_signed` in the run or `published` entry with the highest position. */
  readonly signed: boolean;
  readonly profile: Profile;
}

/** The tiers above `none`, with their rank. */
export const rising = ['bronze', 'silver', 'gold', 'platinum'] as const;

/** Rank of a tier: 0 none – 4 platinum. */
export function rankOf(tier: Tier): number {
  return tiers.indexOf(tier);
}

/** Gates of a tier above `none`. */
function gatesOf(profile: Profile, tier: Tier): TierGates | undefined {
  return profiles[profile].gates[rankOf(tier) - 1];
}

/** Says for each of bronze, silver, gold, platinum whether its gates are met; a row includes those before it. */
export function rowsHeld(judged: Judged): readonly boolean[] {
  let held = true;
  return rising.map((tier) => {
    held &&= unmetOf(judged, tier).length === 0;
    return held;
  });
}

/** Lists the gates of a tier's own row that are not met. */
export function unmetOf(judged: Judged, tier: (typeof rising)[number]): readonly UnmetGate[] {
  const { evaluation, debt, signed, profile } = judged;
  const numbers = gatesOf(profile, tier);
  if (numbers === undefined) return [];
  const unmet = numeric(evaluation, numbers);
  if (tier === 'bronze') {
    if (evaluation.status !== 'scored')
      unmet.push(gate('status', 'scored', evaluation.status, 'too few callers or runs stand behind the score'));
    if (!signed) unmet.push(gate('manifest_signed', 'true', 'false', 'the manifest is not signed by its publisher'));
    if (debt.integrity)
      unmet.push(gate('integrity', 'no open incident', 'open', 'a receipt of this Orb does not verify'));
  }
  if (tier === 'silver' && debt.burdens.some(isCritical))
    unmet.push(gate('critical_incident', 'none open', 'open', 'a critical incident touches this Orb'));
  if (tier === 'platinum')
    unmet.push(gate('witness', 'a cosigned checkpoint', 'none', 'no external witness cosigns the log yet'));
  return unmet;
}

/** Lists the gates that keep an Orb of a tier from the next one; empty at the highest. */
export function unmetAbove(judged: Judged, tier: Tier): readonly UnmetGate[] {
  const next = rising[rankOf(tier)];
  return next === undefined ? [] : unmetOf(judged, next);
}

/** Says whether a burden is an open critical incident from a credible source that affects the Orb. */
export function isCritical({ incident, open, authority, share }: Burden): boolean {
  return open && incident.severity === 'critical' && authority > 0 && share.n > 0;
}

/** Says whether a tier above `none` is kept: its own gates, loosened. */
export function retains({ evaluation, signed, profile }: Judged, tier: Tier): boolean {
  const numbers = gatesOf(profile, tier);
  if (numbers === undefined) return true;
  const { score_milli = -1, n_eff_milli, nc_milli, r_micro } = evaluation;
  return (
    signed &&
    score_milli >= numbers.score_milli - retention.score_below_milli &&
    n_eff_milli * 100 >= numbers.n_eff_milli * retention.evidence_percent &&
    nc_milli * 100 >= numbers.nc_milli * retention.evidence_percent &&
    r_micro >= numbers.r_micro - retention.r_below_micro
  );
}

function gate(name: string, needed: string, present: string, detail: string): UnmetGate {
  return { gate: name, needed, present, detail };
}

function numeric(evaluation: Evaluation, numbers: TierGates): UnmetGate[] {
  const rows = [
    ['score', numbers.score_milli, evaluation.score_milli, 1000, 'the score is below the threshold'],
    ['effective_runs', numbers.n_eff_milli, evaluation.n_eff_milli, 1000, 'too few effective runs'],
    ['effective_callers', numbers.nc_milli, evaluation.nc_milli, 1000, 'too few effective callers'],
    ['active_days', numbers.active_days, evaluation.active_days, 1, 'too few days with a good run'],
    ['reliability', numbers.r_micro, evaluation.r_micro, 1_000_000, 'the lower bound of the reliability is too low'],
  ] as const;
  return rows
    .filter(([, needed, present]) => needed > 0 && (present ?? -1) < needed)
    .map(([name, needed, present, scale, detail]) =>
      gate(name, String(needed / scale), present === undefined ? 'none' : String(present / scale), detail),
    );
}
