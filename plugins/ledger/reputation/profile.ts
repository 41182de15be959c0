import { given } from '../../../kernel/index.ts';
import type { ComponentName, OrbReputation, TierEvent } from '../contract.ts';
import { newOrb } from '../projection/orb.ts';
import { Judge, type Judgement } from '../projection/judge.ts';
import type { Projection } from '../projection/projection.ts';
import type { LedgerReads } from '../tables/reads.ts';
import { dayNumber, dayText } from '../score/day.ts';
import { isOpen, type Burden } from '../score/debt.ts';
import type { Evaluation } from '../score/evaluate.ts';
import { windowDays } from '../score/model.ts';
import { unmetAbove } from '../tier/gates.ts';
import { basisOf, componentsOf, nextOf, standingOf } from './view.ts';
import type { Incident } from '../fact/incident.ts';

/** The inputs for the profile of an Orb; days since the epoch. */
interface ProfileOptions {
  readonly orbId: string;
  readonly day: number;
  readonly projection: Projection;
  readonly reads: LedgerReads;
  readonly causes: readonly string[];
  readonly profile: OrbReputation['profile'];
  /** Shows ids of incidents too. */
  readonly withIncidentIds: boolean;
}

/** The profile of an Orb. */
export type OrbProfile = Awaited<ReturnType<typeof profileOf>>;

/** Judges an Orb by all entries folded so far and explains it; shows no caller, provider, principal or time of day. */
export async function profileOf(options: ProfileOptions) {
  const { orbId, day, projection, reads, causes, profile } = options;
  // While the counts are read the log may say more: all parts of the answer rest on one state.
  const named = [...projection.state.incidents.values()].filter(
    ({ closed_by_person, integrity, retracted }) => retracted || closed_by_person || integrity,
  );
  const orb = projection.state.orbs.get(orbId) ?? newOrb(orbId);
  const judge = new Judge({ ...projection.state, tallies: reads, profile, day });
  const judgement = await judge.judge(orb);
  const { evaluation, parent } = judgement;
  const { tier, suspended, suspension_causes } = standingOf(orb, causes);
  return {
    orb_id: orbId,
    ...shownScore(evaluation),
    status: suspended ? ('suspended' as const) : evaluation.status,
    certification_tier: tier,
    ...(suspended ? { suspension_causes } : {}),
    ...(suspended && orb.machine.tier !== 'none' ? { suspended_tier: orb.machine.tier } : {}),
    ...given({ tier_since: orb.machine.since, limited_by: evaluation.limited_by }),
    components: explained(judgement),
    evidence: await evidenceOf(options, evaluation),
    ...nextOf(orb, profile, unmetAbove(judgement, orb.machine.tier)),
    lineage: { version: orb.version, ...given({ inherits_from: parent }) },
    incidents: await incidentsOf(options, named, judgement),
  };
}

/** Builds the displayed score: whole points, and tenths, both rounded down. */
export function shownScore({ score_milli }: { readonly score_milli?: number }) {
  return {
    reputation_score: score_milli === undefined ? null : Math.floor(score_milli / 1000),
    score_exact: score_milli === undefined ? null : Math.floor(score_milli / 100) / 10,
  };
}

function explained({ evaluation, own, debt }: Judgement) {
  const reasons: Readonly<Record<ComponentName, readonly [string, Readonly<Record<string, number>>]>> = {
    reliability: [
      `at least ${percent(evaluation.r_micro / 1e6)} of effective runs succeed (lower bound, 95 %)`,
      { effective_runs: tenths(evaluation.n_eff_milli), counted_runs: own.counted },
    ],
    contract: [
      own.delivered > own.good ? 'some outputs broke the schema' : 'no outputs broke the schema',
      { effective_good: rounded(own.good), effective_broken: rounded(own.delivered - own.good) },
    ],
    latency: [
      own.timed > 0 ? 'share of runs within the latency objective' : 'no run was measured against a latency objective',
      { effective_fast: rounded(own.fast), effective_slow: rounded(own.timed - own.fast) },
    ],
    integrity: [debt.integrity ? 'a receipt does not verify' : 'every audited receipt verifies', {}],
    incidents: [
      debt.debt_milli === 0 ? 'no incident weighs on it' : 'incidents weigh on it, and less from day to day',
      { debt: debt.debt_milli / 1000 },
    ],
    maturity: [
      'grows with runs, callers and days of use',
      { effective_callers: evaluation.nc_milli / 1000, active_days: evaluation.active_days },
    ],
    freshness: [own.lastGood === undefined ? 'no good run in the window' : 'full for 7 days after a good run', {}],
  };
  return componentsOf(evaluation).map(({ name, weight, value_milli, points_milli }) => ({
    name,
    weight,
    value: value_milli / 1000,
    points: points_milli / 1000,
    reason: reasons[name][0],
    counts: reasons[name][1],
  }));
}

async function evidenceOf({ orbId, day, reads }: ProfileOptions, evaluation: Evaluation) {
  const counters: Record<string, number> = {};
  for (const { others } of await reads.othersOf(orbId, day - windowDays + 1, day))
    for (const [name, n] of Object.entries(others)) counters[name] = (counters[name] ?? 0) + n;
  const { swaps: _, resolved_ok = 0, ...excluded } = counters;
  const { reliability_micro, effective_runs_milli, effective_callers_milli, ...basis } = basisOf(
    evaluation,
    dayText(day),
  );
  return {
    ...basis,
    effective_runs: effective_runs_milli / 1000,
    effective_callers: effective_callers_milli / 1000,
    reliability_lower_bound: reliability_micro / 1e6,
    resolved_ok,
    excluded,
  };
}

async function incidentsOf(
  { day, withIncidentIds, reads, orbId }: ProfileOptions,
  named: readonly Incident[],
  { debt }: Judgement,
) {
  const shown = (burden: Burden) => shownIncident(burden, withIncidentIds);
  const touching = debt.burdens.filter(({ share }) => share.n > 0);
  const served = named.some(({ scope }) => scope.some(({ kind }) => kind === 'provider'))
    ? await reads.minutes(orbId, (day - windowDays + 1) * 1440, day * 1440 + 1439)
    : [];
  const providers = new Set(served.map(({ provider }) => provider));
  const touches = ({ scope }: Incident): boolean =>
    scope.some(({ kind, id }) => (kind === 'orb' ? id === orbId : kind === 'provider' && providers.has(id)));
  return {
    open: touching.filter(({ open }) => open).map(shown),
    decaying: touching.filter(({ open }) => !open).map(shown),
    debt_milli: debt.debt_milli,
    ...closedByHand(named, touches, day),
  };
}

function shownIncident({ incident, open, debt_milli }: Burden, withId: boolean) {
  const { incident_id, severity, state, starts_at, ends_at } = incident;
  return {
    severity,
    state: open && state === 'resolved' ? ('open' as const) : state,
    opened_day: dayText(dayNumber(starts_at)),
    ...(open || ends_at === undefined ? {} : { resolved_day: dayText(dayNumber(ends_at)) }),
    debt_milli,
    ...(withId ? { incident_id, evidence: `/incidents/${incident_id}/evidence` } : {}),
  };
}

/** Counts incidents that a person retracted or closed, and lists the open integrity incidents. */
export function closedByHand(incidents: Iterable<Incident>, touches: (incident: Incident) => boolean, day: number) {
  let [retracted, resolved] = [0, 0];
  let integrity = 0;
  for (const incident of incidents) {
    if (!touches(incident)) continue;
    if (incident.retracted) retracted += 1;
    else if (incident.closed_by_person) resolved += 1;
    if (incident.integrity && isOpen(incident, day)) integrity += 1;
  }
  return { retracted, resolved_by_operator: resolved, open_integrity: integrity };
}

/** Builds the displayed form of a tier change. */
export function shownEvent({ day, change, from, to, rules, actor }: TierEvent) {
  return { day, change, from, to, rules, actor };
}

function percent(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

function tenths(milli: number): number {
  return Math.floor(milli / 100) / 10;
}

function rounded(value: number): number {
  return Math.floor(value * 10 + 0.5) / 10;
}
