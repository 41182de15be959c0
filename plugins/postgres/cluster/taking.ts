import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError, type EngineEvent, type Row } from '../../../kernel/engine.ts';
import { databaseTime, ending, isAlone, joining, livingNodes } from './members.ts';
import { isTooOld, raiseOldest } from '../tables/identity.ts';
import { whileOthersWait } from '../tables/migration.ts';
import { refuseMoving } from '../tables/moving.ts';
import { newestBatch, type NodeHead } from './node.ts';
import type { Session } from '../connection/session.ts';
import { Watched, type Asker, type LeaseTimes } from './watched.ts';
import { compareClocks, skewOf, type Comparison } from '../memory/database-clock.ts';
import type { LeaseEvents } from './lease.ts';

/** How a process waits for the database. */
export interface Waiting {
  readonly times: LeaseTimes;
  /** Version of the program. */
  readonly version: string;
  /**
   * Whether it serves next to others: then it waits only for an earlier process of its name, for one that serves alone, and
   * for one whose program is too old to serve next to this one.
   */
  readonly beside: boolean;
  /** Called once for each node that is waited for. */
  say(event: EngineEvent): void;
}

/** A process that has the database. */
export interface Joined {
  readonly head: NodeHead;
  /** Number of the last change that others told. */
  readonly applied: number;
}

/**
 * Takes the database for one process: at once when no process has it for which it would wait, else when the lease of
 * that one has ended while this process looked on for as long as a lease holds. What the former one still sends fails
 * its fence. Throws ConfigError when a process of the same name and another state dir goes on renewing its lease, a move
 * has the database, or a process that needs a newer program has joined.
 */
export async function takeDatabase(session: Session, asker: Asker, waiting: Waiting): Promise<Joined> {
  const { beside, say, times } = waiting;
  const watched = new Watched(times);
  const told = new Set<string>();
  for (;;) {
    const joined = await whileOthersWait(session, async () => {
      await refuseMoving(session);
      const [time, living] = await session.flush([databaseTime, livingNodes]);
      const others = (living?.rows ?? []).filter(
        (row) =>
          row['place'] !== asker.place && (!beside || row['node'] === asker.node || isAlone(row) || isTooOld(row)),
      );
      checkName(asker, others, watched);
      const over = new Set(watched.ended(Number(time?.rows[0]?.['now']), others));
      const waitedFor = others.filter((row) => !over.has(row)).map(({ node }) => String(node));
      for (const node of waitedFor) if (!told.has(node)) say({ kind: 'waiting', node });
      for (const node of waitedFor) told.add(node);
      if (waitedFor.length > 0) return undefined;
      await raiseOldest(session, waiting.version);
      return take(session, asker, { ...waiting, old: others.filter(isTooOld) });
    });
    if (joined !== undefined) return joined;
    await delay(times.renewMs / 4);
  }
}

function checkName({ node: own }: Asker, others: readonly Row[], watched: Watched): void {
  if (others.some((row) => row['node'] === own && watched.renewed(row)))
    throw new ConfigError([
      `ORB_NODE: another process, with another state dir, runs as ${own}; give each its own name`,
    ]);
}

/** What taking the database needs; `old`: processes whose leases have ended, and whose programs are too old. */
interface Taking extends Waiting {
  readonly old: readonly Row[];
}

async function take(session: Session, asker: Asker, { beside, old, times, version }: Taking): Promise<Joined> {
  const { incarnation, node } = asker;
  const ends = ending(
    asker,
    beside,
    old.map((row) => String(row['incarnation'])),
  );
  const joins = joining(asker, { beside, version, holdMs: times.holdMs });
  const answers = await session.flush([...ends, ...joins, newestBatch({ node })]);
  const row = answers.at(-2)?.rows[0];
  return {
    head: {
      ...{ node, incarnation, epoch: Number(row?.['epoch']) },
      batch: Number(answers.at(-1)?.rows[0]?.['batch'] ?? 0),
    },
    applied: Number(row?.['applied']),
  };
}

const againMs = 1000;

/** What waiting for a clock needs. */
export interface AgreementOptions extends Pick<LeaseEvents, 'say'>, Comparison {
  /** Called when it agrees after it did not. */
  waited(): void;
}

/**
 * Reads the clock of the database, and waits while that of the machine is so far from it that the process might write
 * nothing: a machine sets its clock some seconds after it has started.
 */
export async function clockAgreed(session: Session, options: AgreementOptions): Promise<void> {
  const { say, waited } = options;
  for (let told = false; ; await delay(againMs)) {
    const ahead = (await compareClocks(session, databaseTime, options)) ?? 0;
    const isMute = skewOf(ahead) === 'mute';
    if (isMute !== told) say({ kind: 'skewed', skew: isMute ? 'mute' : 'none', aheadMs: ahead });
    if (told && !isMute) waited();
    told = isMute;
    if (!isMute) return;
  }
}
