import { type TierEvent } from '../contract.ts';
import { dayText } from '../score/day.ts';
import { profiles, retention } from '../score/model.ts';
import { rankOf, retains, rising, rowsHeld, type Judged } from './gates.ts';
import { tiers, type Tier } from '../shapes.ts';

/** The tier state of an Orb between two snapshots. */
export interface Machine {
  /** The tier that was reached; for a suspended Orb, the tier that returns. */
  readonly tier: Tier;
  /** Consecutive snapshots that met the row of bronze, silver, gold, platinum. */
  readonly streaks: readonly number[];
  /** Consecutive snapshots in which the tier was not retained. */
  readonly failures: number;
  /** Snapshots since the suspension began; 0: not suspended at the last one. */
  readonly suspended: number;
  /** A suspension began since the last snapshot, whether or not it has ended. */
  readonly interrupted: boolean;
  /** The tier was lost by a long suspension, which lasts. */
  readonly lost: boolean;
  /** Yanked or removed: `none` for ever. */
  readonly ended: boolean;
  /** First day of the current tier. */
  readonly since?: string;
  /** Day on which each tier was first reached. */
  readonly firsts: Readonly<Partial<Record<Tier, string>>>;
}

/** The state of an Orb before its first snapshot. */
export const newMachine: Machine = Object.freeze({
  tier: 'none',
  streaks: [0, 0, 0, 0],
  failures: 0,
  suspended: 0,
  interrupted: false,
  lost: false,
  ended: false,
  firsts: {},
});

/** The result of one snapshot for a machine. */
interface Step {
  readonly machine: Machine;
  readonly events: readonly TierEvent[];
}

/**
 * Advances a machine by the snapshot of a day. `causes`: why the Orb is suspended at that moment, empty when it is not;
 * the entries that suspended and restored it have made their own events.
 */
export function step(machine: Machine, judged: Judged, causes: readonly string[], day: number): Step {
  if (machine.ended) return { machine, events: [] };
  if (causes.length > 0) return suspend(machine, causes, day);
  const awake = machine.suspended > 0 || machine.interrupted;
  const before: Machine = awake
    ? { ...machine, suspended: 0, interrupted: false, lost: false, streaks: newMachine.streaks }
    : machine;
  const held = rowsHeld(judged);
  const streaks = before.streaks.map((streak, at) => (held[at] === true ? streak + 1 : 0));
  const counted = { ...before, streaks };
  return demoted(counted, judged, day) ?? promoted(counted, judged, day);
}

/** Ends a machine after its Orb was yanked or removed. */
export function ended(machine: Machine, day: string, change: string): Step {
  if (machine.ended) return { machine, events: [] };
  const { since: _, ...rest } = machine;
  return {
    machine: { ...rest, tier: 'none', streaks: newMachine.streaks, failures: 0, ended: true },
    events: [{ day, change: 'ended', from: machine.tier, to: 'none', rules: [change], actor: 'operator' }],
  };
}

function suspend(machine: Machine, causes: readonly string[], day: number): Step {
  const suspended = machine.suspended + 1;
  const base: Machine = { ...machine, suspended, interrupted: false, streaks: newMachine.streaks, failures: 0 };
  if (suspended < retention.suspended_snapshots_to_lose || machine.tier === 'none')
    return { machine: base, events: [] };
  const { since: _, ...rest } = base;
  return {
    machine: { ...rest, tier: 'none', lost: true },
    events: [{ day: dayText(day), change: 'lost', from: machine.tier, to: 'none', rules: causes, actor: 'auto' }],
  };
}

function demoted(machine: Machine, judged: Judged, day: number): Step | undefined {
  if (machine.tier === 'none') return undefined;
  if (retains(judged, machine.tier)) return undefined;
  const failures = machine.failures + 1;
  if (failures < retention.failures_to_demote) return { machine: { ...machine, failures }, events: [] };
  const lower = tiers.slice(1, rankOf(machine.tier)).reverse();
  const to = lower.find((tier) => retains(judged, tier)) ?? 'none';
  return moved(machine, to, 'demoted', ['retain'], day);
}

function promoted(machine: Machine, judged: Judged, day: number): Step {
  const settled: Machine = { ...machine, failures: 0 };
  const next = rising[rankOf(machine.tier)];
  const needed = profiles[judged.profile].gates[rankOf(machine.tier)]?.consecutive;
  if (next === undefined || needed === undefined) return { machine: settled, events: [] };
  if ((machine.streaks[rankOf(machine.tier)] ?? 0) < needed) return { machine: settled, events: [] };
  return moved(settled, next, 'promoted', [`${next}_row`, `consecutive_${needed}`], day);
}

function moved(machine: Machine, to: Tier, change: TierEvent['change'], rules: readonly string[], day: number): Step {
  const text = dayText(day);
  const { since: _, ...rest } = machine;
  return {
    machine: {
      ...rest,
      tier: to,
      failures: 0,
      ...(to === 'none' ? {} : { since: text, firsts: { ...machine.firsts, [to]: machine.firsts[to] ?? text } }),
    },
    events: [{ day: text, change, from: machine.tier, to, rules, actor: 'auto' }],
  };
}
