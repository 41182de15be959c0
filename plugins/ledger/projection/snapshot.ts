import { canonical, digest, given } from '../../../kernel/index.ts';
import type { SnapshotRef, UnmetGate } from '../contract.ts';
import { dayNumber } from '../score/day.ts';
import { isOpen } from '../score/debt.ts';
import type { Evaluation } from '../score/evaluate.ts';
import { scoringPolicy } from '../score/model.ts';
import { totalsOf, type Totals } from '../score/totals.ts';
import { unmetAbove } from '../tier/gates.ts';
import { step } from '../tier/machine.ts';
import type { Line } from '../fact/line.ts';
import { isInterrupted, type Interval } from './interrupted.ts';
import { Judge, type Judgement } from './judge.ts';
import type { OrbState } from './orb.ts';
import type { Projection } from './projection.ts';
import { criticalOf, turned } from './suspension.ts';
import { withMinutes, type Tallies } from './tallies.ts';

/** What a snapshot is of. */
export type SnapshotName = Pick<SnapshotRef, 'day' | 'logs' | 'profile'>;

/** One Orb in a snapshot. */
export interface SnapshotOrb extends Omit<Evaluation, 'status'> {
  readonly orb_id: string;
  readonly status: Evaluation['status'] | 'suspended';
  /** `none` while suspended. */
  readonly tier: string;
  readonly next_unmet: readonly UnmetGate[];
  readonly open_incidents: number;
  readonly runs_30d: number;
  readonly callers_30d: number;
}

/** A snapshot with its row for each Orb. */
export type Snapshot = Awaited<ReturnType<typeof computeSnapshot>>;

/** How a snapshot is computed. */
interface Computing {
  /** Awaited after each Orb. */
  readonly pause?: () => Promise<void> | void;
  /** Reads the lines since the last snapshot that are no runs; needed when shards grew at the same time. */
  readonly lines: () => Promise<readonly Line[]>;
}

/** Computes the snapshot of a day from a projection that has folded exactly the entries within `logs`; changes nothing. */
export async function computeSnapshot(
  projection: Projection,
  tallies: Tallies,
  name: SnapshotName,
  { lines, pause = () => undefined }: Computing,
) {
  const { orbs: all, incidents, spans } = projection.state;
  const since = spans.overlap() ? { lines: await lines(), incidents } : undefined;
  const day = dayNumber(name.day);
  const judge = new Judge({ orbs: all, incidents, tallies, profile: name.profile, day });
  const orbs: SnapshotOrb[] = [];
  const moved: ReturnType<typeof moveOn>[] = [];
  for (const id of [...all.keys()].sort()) {
    const found = all.get(id);
    if (found === undefined) continue;
    const orb =
      since === undefined ? found : await withMinutes(tallies, (minutes) => inAnyOrder(found, { ...since, minutes }));
    const judgement = await judge.judge(orb);
    const next = moveOn(projection, orb, judgement, day);
    moved.push(next);
    const recent = totalsOf(await tallies.callerDays(id, day - 29, day), day);
    orbs.push(rowOf(next.orb, judgement, day, recent));
    await pause();
  }
  return { ...name, scoring_policy: scoringPolicy, digest: digestOf(name, orbs), orbs, moved };
}

// Whether the Orb was suspended for a while must not depend on the order in which the shards were read.
function inAnyOrder(orb: OrbState, interval: Interval): OrbState {
  if (orb.machine.suspended > 0) return orb;
  return { ...orb, machine: { ...orb.machine, interrupted: isInterrupted(orb, interval) } };
}

function moveOn(projection: Projection, orb: OrbState, judgement: Judgement, day: number) {
  const looked: OrbState = { ...orb, critical: criticalOf(orb, judgement.debt) };
  const causes = projection.causes(looked, day);
  const told = turned(orb, causes, day, 'auto');
  const { machine, events } = step(orb.machine, judgement, causes, day);
  return { orb: { ...looked, causes, machine }, events: [...told, ...events] };
}

function rowOf(orb: OrbState, judgement: Judgement, day: number, recent: Totals): SnapshotOrb {
  const { evaluation, debt } = judgement;
  const suspended = orb.causes.length > 0;
  return {
    ...evaluation,
    orb_id: orb.orb_id,
    status: suspended ? 'suspended' : evaluation.status,
    tier: suspended ? 'none' : orb.machine.tier,
    next_unmet: unmetAbove(judgement, orb.machine.tier),
    open_incidents: new Set(
      debt.burdens.filter(({ incident }) => isOpen(incident, day)).map(({ incident }) => incident.incident_id),
    ).size,
    runs_30d: recent.counted,
    callers_30d: recent.callers,
  };
}

function digestOf({ day, logs, profile }: SnapshotName, orbs: readonly SnapshotOrb[]): string {
  const rows = orbs.map((orb) => ({
    orb_id: orb.orb_id,
    status: orb.status,
    tier: orb.tier,
    ...given({ score_milli: orb.score_milli, limited_by: orb.limited_by }),
    n_eff_milli: orb.n_eff_milli,
    nc_milli: orb.nc_milli,
    r_micro: orb.r_micro,
    debt_milli: orb.debt_milli,
    active_days: orb.active_days,
    callers: orb.callers,
    points_milli: orb.points_milli,
  }));
  return digest(canonical({ day, logs, profile, scoring_policy: scoringPolicy, orbs: rows }));
}
