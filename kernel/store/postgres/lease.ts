import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '../../error.ts';
import type { Row } from '../contract.ts';
import type { Bound } from './flush.ts';
import { whileOthersWait } from './migration.ts';
import { newestBatch, type NodeHead } from './node.ts';
import { bind, type Session } from './session.ts';

/** How long a lease holds after it was renewed, and how often it is. Milliseconds. */
export interface LeaseTimes {
  readonly holdMs: number;
  readonly renewMs: number;
}

/** The times of a server. */
export const leaseTimes: LeaseTimes = { holdMs: 10_000, renewMs: 2000 };

/** The process that asks for the database. */
export interface Asker {
  readonly node: string;
  readonly incarnation: string;
  /** An id that the state dir keeps: a process with the same one has ended, because this one holds the lock of the folder. */
  readonly place: string;
}

/** How a process waits for the database. */
export interface Waiting {
  readonly times: LeaseTimes;
  /** Called once for each node that is waited for. */
  onWait(node: string): void;
}

// Leases count on the clock of the database, in milliseconds since the Unix epoch.
const clock = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)';
const now = bind(`SELECT ${clock} AS now`, []);
const living = bind(
  `SELECT node, incarnation, place, lease_until FROM kernel_nodes WHERE state = 'live' ORDER BY node`,
  [],
);

/**
 * Takes the database for one process: at once when no other one has it, else when the lease of that one has ended while
 * this process looked on for as long as a lease holds. What the former one still sends fails its fence.
 * Throws ConfigError when a process of the same name and another state dir goes on renewing its lease.
 */
export async function takeDatabase(session: Session, asker: Asker, { times, onWait }: Waiting): Promise<NodeHead> {
  const watched = new Watched(asker, times, onWait);
  for (;;) {
    const head = await whileOthersWait(session, async () => {
      const [time, found] = await session.flush([now, living]);
      const isFree = watched.look(Number(time?.rows[0]?.['now']), found?.rows ?? []);
      return isFree ? take(session, asker, times) : undefined;
    });
    if (head !== undefined) return head;
    await delay(times.renewMs / 4);
  }
}

async function take(session: Session, { incarnation, node, place }: Asker, { holdMs }: LeaseTimes): Promise<NodeHead> {
  const [, taken, newest] = await session.flush([
    bind(`UPDATE kernel_nodes SET state = 'dead', epoch = epoch + 1 WHERE state = 'live' AND node <> ?`, [node]),
    bind(
      `INSERT INTO kernel_nodes (node, incarnation, place, epoch, state, lease_until) VALUES (?, ?, ?, 1, 'live', ${clock} + ?)
       ON CONFLICT (node) DO UPDATE SET incarnation = excluded.incarnation, place = excluded.place,
         epoch = kernel_nodes.epoch + 1, state = 'live', lease_until = excluded.lease_until
       RETURNING epoch`,
      [node, incarnation, place, holdMs],
    ),
    newestBatch({ node }),
  ]);
  return {
    ...{ node, incarnation, epoch: Number(taken?.rows[0]?.['epoch']) },
    batch: Number(newest?.rows[0]?.['batch'] ?? 0),
  };
}

/** What a process that waits has seen of those that live. */
class Watched {
  readonly #asker: Asker;
  readonly #times: LeaseTimes;
  readonly #onWait: (node: string) => void;
  /** The lease of each incarnation as it was last seen to change, and when that was, on the monotonic clock. */
  readonly #seen = new Map<string, { readonly until: number; readonly since: number }>();
  readonly #told = new Set<string>();
  #lookedAt = 0;

  constructor(asker: Asker, times: LeaseTimes, onWait: (node: string) => void) {
    this.#asker = asker;
    this.#times = times;
    this.#onWait = onWait;
  }

  /** Looks at those that live; answers whether all of them have ended. */
  look(time: number, rows: readonly Row[]): boolean {
    const at = performance.now();
    // While the database was away nobody could renew: what was seen before is no witness.
    if (at - this.#lookedAt > 2 * this.#times.renewMs) this.#seen.clear();
    this.#lookedAt = at;
    return rows.map((row) => this.#hasEnded(time, at, row)).every(Boolean);
  }

  #hasEnded(time: number, at: number, { incarnation, lease_until, node, place }: Row): boolean {
    if (place === this.#asker.place) return true;
    const until = Number(lease_until);
    const seen = this.#seen.get(String(incarnation));
    if (seen !== undefined && seen.until !== until && node === this.#asker.node)
      throw new ConfigError([
        `ORB_NODE: another process, with another state dir, runs as ${String(node)}; give each its own name`,
      ]);
    if (seen?.until !== until) this.#seen.set(String(incarnation), { until, since: at });
    if (seen?.until === until && time > until && at - seen.since >= this.#times.holdMs) return true;
    if (!this.#told.has(String(node))) {
      this.#told.add(String(node));
      this.#onWait(String(node));
    }
    return false;
  }
}

/** What the holder of a lease is told. */
export interface LeaseEvents {
  /** The lease may be over: nothing that needs it may begin. */
  onOver(reason: unknown): void;
  /** It holds again. */
  onHeld(): void;
  /** Another process has the database. */
  onLost(): void;
}

/** What holding a lease needs. */
export interface LeaseOptions extends LeaseEvents {
  readonly times: LeaseTimes;
  open(): Promise<Session>;
}

/**
 * The lease of a process that serves, renewed on a session of its own. Its end is counted from before each renewal was
 * sent, on the monotonic clock, less the time between two renewals.
 */
export class Lease {
  readonly #owner: Pick<Asker, 'node' | 'incarnation'>;
  readonly #options: LeaseOptions;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #session: Session | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #reason: unknown;

  constructor(owner: Pick<Asker, 'node' | 'incarnation'>, options: LeaseOptions) {
    this.#owner = owner;
    this.#options = options;
    this.#count(performance.now());
    this.#ended = this.#keepRenewing();
  }

  /** Stops renewing, and gives the database back: the next process need not wait. */
  async leave(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#ended;
    await this.#session?.flush([this.#set(`state = 'left'`)]).catch(() => undefined);
    await this.#session?.close().catch(() => undefined);
  }

  async #keepRenewing(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (!(await this.#renew())) return this.#options.onLost();
      } catch (error) {
        this.#reason = error;
        this.#session?.abandon();
        this.#session = undefined;
      }
      await delay(this.#options.times.renewMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  async #renew(): Promise<boolean> {
    const sent = performance.now();
    this.#session ??= await this.#options.open();
    const [renewed] = await this.#session.flush([this.#set(`lease_until = ${clock} + ?`, this.#options.times.holdMs)]);
    if (renewed?.rows.length !== 1) return false;
    this.#count(sent);
    if (this.#isOver) this.#options.onHeld();
    this.#isOver = false;
    return true;
  }

  #set(change: string, ...values: readonly number[]): Bound {
    const { incarnation, node } = this.#owner;
    return bind(
      `UPDATE kernel_nodes SET ${change} WHERE node = ? AND incarnation = ? AND state = 'live' RETURNING node`,
      [...[...values, node, incarnation]],
    );
  }

  #count(from: number): void {
    const { onOver, times } = this.#options;
    clearTimeout(this.#timer);
    const left = from + times.holdMs - times.renewMs - performance.now();
    this.#timer = setTimeout(
      () => {
        this.#isOver = true;
        onOver(this.#reason ?? new Error('the database did not answer in time'));
      },
      Math.max(0, left),
    );
    this.#timer.unref();
  }
}
