import { operation, timestamp, type Fact, type Operation } from '../../../kernel/index.ts';
import type { TransparencyLog } from '../../receipts/contract.ts';
import type { StandingFact } from '../fact/standing.ts';
import type { SnapshotLine } from '../fact/line.ts';
import { readLine } from '../fact/line.ts';
import { computeSnapshot, type Snapshot, type SnapshotName } from '../projection/snapshot.ts';
import type { KeptSnapshot } from '../tables/reads.ts';
import { dayNumber, dayOf, dayText, minutesOf } from '../score/day.ts';
import { windowDays } from '../score/model.ts';
import { logSizeOf, snapshotRefOf } from '../shapes.ts';
import ledgerStore from '../store.ts';
import { type Follower } from './follower.ts';
import type { FollowScope } from './scope.ts';
import { breath } from './pages.ts';

// Ten minutes after midnight, so that runs that finished before midnight are committed.
const delayMs = 10 * 60_000;

/** A day whose snapshot is due. */
export interface Due {
  /** Days since the epoch. */
  readonly day: number;
  /** How many days, this one included, have ended without a snapshot. */
  readonly missed: number;
}

/** Finds the oldest day that has ended and has no snapshot; undefined when all have one. */
export async function dueDay(scope: Pick<FollowScope, 'clock' | 'reads' | 'log'>): Promise<Due | undefined> {
  const { clock, reads, log } = scope;
  const last = dayOf(clock.now() - delayMs) - 1;
  const known = await reads.lastSnapshot();
  const next = known === undefined ? await firstDay(log) : dayNumber(known.day) + 1;
  if (next === undefined || next > last) return undefined;
  const day = known === undefined ? Math.max(next, last - windowDays + 1) : next;
  return { day, missed: last - day + 1 };
}

// Without entries there is no reputation to compute.
async function firstDay(log: TransparencyLog): Promise<number | undefined> {
  const [first] = await log.entriesAfter(new Map(), 1);
  if (first === undefined) return undefined;
  const line = readLine(first);
  return dayNumber('at' in line ? line.at : line.finished_at);
}

/** Takes the snapshot of a day: follows to the last checkpoints, computes, attests; commits all of it or nothing. */
export async function takeSnapshot(day: number, follower: Follower, options: FollowScope): Promise<void> {
  const { clock, platform, profile } = options;
  const logs = (await options.log.heads()).map(logSizeOf);
  await follower.follow({ until: logs });
  const snapshot = await compute({ day: dayText(day), logs, profile }, follower, options);
  const { scoring_policy, digest } = snapshot;
  const kept = keeping(snapshot, follower, snapshotRefOf(snapshot));
  const fact: Fact<StandingFact> = {
    fact: {
      kind: 'standing',
      at: timestamp(clock.now()),
      facts: { change: 'snapshot', day: snapshot.day, logs, profile, scoring_policy, digest },
    },
    operations: () => [kept],
  };
  await platform.attest(fact);
  await options.onSnapshot(snapshotRefOf(snapshot));
}

/** Computes and keeps a snapshot that the log contains, at the log prefix at which it was attested. */
export async function restoreSnapshot(line: SnapshotLine, follower: Follower, options: FollowScope): Promise<void> {
  const { day, digest, logs, profile, scoring_policy } = line;
  const snapshot = await compute({ day, logs, profile }, follower, options);
  const wrong = snapshot.digest !== digest;
  if (wrong)
    options.logger.error({ day, digest, recomputed: snapshot.digest }, 'a recomputed snapshot has a different digest');
  const kept = { day, digest, logs, profile, scoring_policy, ...(wrong ? { recomputed: snapshot.digest } : {}) };
  await options.store.write([keeping(snapshot, follower, kept)]);
  await options.onSnapshot(kept);
}

async function compute(name: SnapshotName, follower: Follower, { reads }: FollowScope): Promise<Snapshot> {
  const lines = async (): ReturnType<Follower['linesSince']> =>
    follower.linesSince((await reads.lastSnapshot())?.logs ?? []);
  const { projection } = follower;
  const snapshot = await computeSnapshot(projection, reads, name, { lines, pause: () => breath() });
  for (const { orb, events } of snapshot.moved) projection.put(orb, events);
  projection.state.spans.clear();
  return snapshot;
}

function keeping(snapshot: Snapshot, follower: Follower, kept: KeptSnapshot): Operation {
  return operation(ledgerStore, 'takeSnapshot', {
    snapshot: kept,
    orbs: snapshot.orbs,
    changes: follower.projection.take(),
    oldest_minute: minutesOf(dayNumber(snapshot.day) - windowDays + 1).first,
  });
}
