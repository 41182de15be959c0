import { given } from '../../../kernel/index.ts';
import { reachableTiers, type OrbReputation, type Profile, type SnapshotRef, type UnmetGate } from '../contract.ts';
import { newOrb, type OrbState } from '../projection/orb.ts';
import type { SnapshotOrb } from '../projection/snapshot.ts';
import { dayNumber, dayText } from '../score/day.ts';
import { noDebt } from '../score/debt.ts';
import { evaluate, type Evaluation } from '../score/evaluate.ts';
import { profiles, scoringPolicy, weights, windowDays } from '../score/model.ts';
import { totalsOf } from '../score/totals.ts';
import { snapshotRefOf, componentNames } from '../shapes.ts';
import { rankOf, unmetOf } from '../tier/gates.ts';

/** The inputs for the reputation of an Orb. */
interface ViewOptions {
  readonly orb: OrbState | undefined;
  readonly row: SnapshotOrb | undefined;
  readonly snapshot: SnapshotRef | undefined;
  /** Causes of its current suspension. */
  readonly causes: readonly string[];
  readonly profile: Profile;
  readonly signed: boolean;
}

/** Builds the reputation of an Orb from its last snapshot row, with the current state of suspension. */
export function viewOf(orbId: string, options: ViewOptions): OrbReputation {
  const { orb = newOrb(orbId), row, snapshot, causes, profile, signed } = options;
  const suspended = causes.length > 0;
  const standing = standingOf(orb, causes);
  const { tier } = orb.machine;
  return {
    orb_id: orbId,
    status: suspended ? 'suspended' : statusOf(row, profile),
    ...standing,
    ...scoreOf(row),
    components: row === undefined ? [] : componentsOf(row),
    ...(row === undefined || snapshot === undefined ? {} : { basis: basisOf(row, snapshot.day) }),
    ...given({ tier_since: orb.machine.since, first_achieved: orb.machine.firsts[tier] }),
    ...nextOf(orb, profile, row?.next_unmet ?? unmetOfNothing(orb, profile)),
    manifest_signed: signed,
    ...(row === undefined || snapshot === undefined ? {} : { snapshot: snapshotRefOf(snapshot) }),
    profile: (row === undefined ? undefined : snapshot?.profile) ?? profile,
    scoring_policy: (row === undefined ? undefined : snapshot?.scoring_policy) ?? scoringPolicy,
    usage: { runs_30d: row?.runs_30d ?? 0, callers_30d: row?.callers_30d ?? 0 },
    incidents: { open: row?.open_incidents ?? 0, debt_milli: row?.debt_milli ?? 0 },
    ...(suspended && tier !== 'none' ? { suspended_tier: tier } : {}),
  };
}

/** Builds the members that change at once with a suspension. */
export function standingOf({ machine }: OrbState, causes: readonly string[]) {
  const tier = causes.length > 0 ? 'none' : machine.tier;
  return { tier, tier_rank: rankOf(tier), suspended: causes.length > 0, suspension_causes: causes } as const;
}

/** Builds the score that callers see: whole points, rounded down. */
export function scoreOf(row: Pick<Evaluation, 'score_milli' | 'limited_by'> | undefined) {
  const milli = row?.score_milli;
  return {
    score: milli === undefined ? null : Math.floor(milli / 1000),
    score_milli: milli ?? null,
    ...(row?.limited_by === undefined ? {} : { limited_by: row.limited_by }),
  };
}

// The status without the suspension that was in force at the snapshot.
function statusOf(row: SnapshotOrb | undefined, profile: Profile): OrbReputation['status'] {
  if (row?.score_milli === undefined) return 'unscored';
  if (row.status !== 'suspended') return row.status;
  const firm = row.callers >= 2 && row.n_eff_milli >= profiles[profile].provisional_n_eff_milli;
  return firm ? 'scored' : 'provisional';
}

/** Lists the components with their rounded values. */
export function componentsOf({ values_milli, points_milli }: Evaluation | SnapshotOrb): OrbReputation['components'] {
  return componentNames.map((name, at) => ({
    name,
    weight: weights[name],
    value_milli: values_milli[at] ?? 0,
    points_milli: points_milli[at] ?? 0,
  }));
}

/** Builds the basis of an evaluation on a day. */
export function basisOf(row: Omit<Evaluation, 'status'>, day: string): NonNullable<OrbReputation['basis']> {
  return {
    window_start: dayText(dayNumber(day) - windowDays + 1),
    window_end: day,
    runs_counted: row.counted,
    effective_runs_milli: row.n_eff_milli,
    effective_callers_milli: row.nc_milli,
    callers: row.callers,
    active_days: row.active_days,
    ...(row.last_good === undefined ? {} : { last_run_day: dayText(row.last_good) }),
    reliability_micro: row.r_micro,
  };
}

/** Builds the next tier with what is missing: its unmet gates or, when all are met, snapshots in a row. */
export function nextOf(
  { machine }: OrbState,
  profile: Profile,
  unmet: readonly UnmetGate[],
): { readonly next_tier?: NonNullable<OrbReputation['next_tier']> } {
  const rank = rankOf(machine.tier);
  const tier = machine.ended ? undefined : reachableTiers[rank + 1];
  if (tier === undefined) return {};
  return { next_tier: { tier, unmet: unmet.length > 0 ? unmet : tooFew(machine.streaks[rank] ?? 0, profile, rank) } };
}

function tooFew(streak: number, profile: Profile, rank: number): readonly UnmetGate[] {
  const needed = profiles[profile].gates[rank]?.consecutive ?? 0;
  if (streak >= needed) return [];
  return [
    {
      gate: 'consecutive_snapshots',
      needed: String(needed),
      present: String(streak),
      detail: 'all gates hold; they must hold in as many daily snapshots in a row',
    },
  ];
}

// The unmet gates of an Orb without a snapshot: computed without any runs.
function unmetOfNothing(orb: OrbState, profile: Profile): readonly UnmetGate[] {
  const evaluation = evaluate({ profile, day: 0, own: totalsOf([], 0), debt: noDebt });
  return unmetOf({ evaluation, debt: noDebt, signed: orb.signed, profile }, 'bronze');
}
