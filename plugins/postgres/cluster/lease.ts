import { OwnerLost, pack, WentBack, type EngineEvent, type Skew } from '../../../kernel/engine.ts';
import { clock, leaving, rowOf } from './members.ts';
import { compareClocks, skewOf, type Comparison } from '../memory/database-clock.ts';
import type { LeaseEnd } from '../memory/lease-end.ts';
import type { ServerMark } from '../memory/server-mark.ts';
import { SessionLost, type Bound } from '../connection/flush.ts';
import { bind, type Session } from '../connection/session.ts';
import type { Asker, LeaseTimes } from './watched.ts';

/** What the holder of a lease is told. */
export interface LeaseEvents {
  /**
   * `away`: the lease may be over, so that work that needs it must not start; `back`: it holds again; `skewed`: the clock
   * of this machine is another distance from that of the database.
   */
  say(event: EngineEvent): void;
  /** Another process has the database, or, by WentBack, it is older than what this process knows. */
  onLost(reason: OwnerLost): void;
}

/** Work on the session of a lease. */
export interface Beside {
  /** `renewed`: the lease was just renewed. Rejects when the session is lost, or with WentBack. */
  tick(session: Session, renewed: boolean): Promise<void>;
  /** Whether the process may not go on as a holder of the lease now. */
  readonly isBehind: boolean;
  /** Whether something waits for the next tick. */
  readonly isAsked: boolean;
}

/** What holding a lease needs. */
export interface LeaseOptions extends LeaseEvents, Comparison {
  readonly times: LeaseTimes;
  open(): Promise<Session>;
  /** Where it is noted how long the lease holds. */
  readonly end?: LeaseEnd;
  /** How far the writer has come: a server that has less is another one. */
  readonly mark?: ServerMark | undefined;
  /** Called when its session was lost: the writer must not go on with a server that another one has replaced. */
  readonly onReopened?: (() => void) | undefined;
  /** What else is done on its session. */
  readonly beside?: Beside;
  /** The epoch with which the process has taken its row. */
  readonly epoch?: number;
}

/**
 * The lease of a process that serves, renewed on a session of its own. Its end is counted from before each renewal was
 * sent, on the monotonic clock, less the time between two renewals.
 */
export class Lease {
  readonly #owner: Pick<Asker, 'node' | 'incarnation'>;
  readonly #options: LeaseOptions;
  readonly #ended: Promise<void>;
  #stopped = false;
  #session: Session | undefined;
  #openings = 0n;
  #timer: NodeJS.Timeout | undefined;
  /** When the lease is to be renewed next, on the monotonic clock. */
  #due = 0;
  /** When it looks next, while it must not renew. */
  #lookDue = 0;
  #endPause: () => void = () => undefined;
  #isOver = false;
  #isMute = false;
  #skew: Skew = 'none';
  #reason: unknown;

  constructor(owner: Pick<Asker, 'node' | 'incarnation'>, options: LeaseOptions) {
    this.#owner = owner;
    this.#options = options;
    this.#count(performance.now());
    this.#ended = this.#keepRenewing();
  }

  /** Lets the next tick come at once. */
  wake(): void {
    this.#endPause();
  }

  /** Stops renewing, and gives the database back: the next process need not wait. */
  async leave(): Promise<void> {
    this.#stopped = true;
    this.#endPause();
    clearTimeout(this.#timer);
    await this.#ended;
    await this.#session?.flush([leaving(this.#owner)]).catch(() => undefined);
    await this.#session?.close().catch(() => undefined);
  }

  async #keepRenewing(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#tick();
      } catch (error) {
        this.#reason = error;
        const had = this.#session !== undefined;
        this.#leaveSession();
        if (error instanceof OwnerLost) return this.#options.onLost(error);
        if (had) this.#options.onReopened?.();
      }
      await this.#pause();
    }
  }

  #leaveSession(): void {
    this.#session?.abandon();
    this.#session = undefined;
  }

  /** Rejects with OwnerLost when the lease is not this process's any more. */
  async #tick(): Promise<void> {
    const { beside, open } = this.#options;
    const openings = this.#options.mark?.openings ?? 0n;
    if (openings !== this.#openings) this.#leaveSession();
    this.#openings = openings;
    this.#session ??= await open();
    const sent = performance.now();
    const isBehind = beside?.isBehind === true;
    const renews = sent >= this.#due && !isBehind;
    if (renews) {
      await this.#ask(this.#session, (epoch) => this.#renewal(epoch));
      this.#due = sent + this.#options.times.renewMs;
      this.#count(sent);
      this.#isOver = false;
    } else if (isBehind && sent >= this.#lookDue) {
      // It cannot learn what others changed while its clock is wrong: it has to see that the clock is right again.
      await this.#ask(this.#session, (epoch) => this.#look(epoch));
      this.#lookDue = sent + this.#options.times.renewMs;
    }
    await beside?.tick(this.#session, renews);
    this.#show(
      beside?.isBehind === true ? new Error('this node has not applied the changes of other nodes yet') : undefined,
    );
  }

  async #ask(session: Session, question: (epoch: number) => Bound): Promise<void> {
    const epoch = this.#options.mark?.newest.epoch ?? 0;
    const ahead = await compareClocks(session, question(epoch), this.#options);
    if (ahead === undefined) throw await this.#loss(session, epoch);
    const skew = skewOf(ahead);
    if (skew !== this.#skew) this.#options.say({ kind: 'skewed', skew, aheadMs: ahead });
    this.#skew = skew;
  }

  async #loss(session: Session, least: number): Promise<OwnerLost | SessionLost> {
    const [found] = await session.flush([rowOf(this.#owner.node)]);
    const epoch = Number(found?.rows[0]?.['epoch'] ?? 0);
    // An epoch never gets smaller: the row is from before this process took it.
    if (epoch < (this.#options.epoch ?? 0)) return new WentBack('the database went back to before this process joined');
    if (epoch < least) return new SessionLost('the server is not the one that the writer uses');
    return new OwnerLost('another process took over from this one');
  }

  #renewal(epoch: number): Bound {
    const { incarnation, node } = this.#owner;
    return bind(
      `UPDATE kernel_nodes SET lease_until = ${clock} + ? WHERE node = ? AND incarnation = ? AND epoch >= ? AND state = 'live' RETURNING ${clock} AS now`,
      [this.#options.times.holdMs, node, incarnation, epoch],
    );
  }

  #look(epoch: number): Bound {
    const { incarnation, node } = this.#owner;
    return bind(
      `SELECT ${clock} AS now FROM kernel_nodes WHERE node = ? AND incarnation = ? AND epoch >= ? AND state = 'live'`,
      [node, incarnation, epoch],
    );
  }

  #pause(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    const { beside, times } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const untilDue = Math.max(times.renewMs / 8, this.#due - performance.now());
    const ms = beside === undefined ? untilDue : Math.min(untilDue, times.renewMs / (beside.isAsked ? 80 : 8));
    const timer = setTimeout(resolve, ms);
    this.#endPause = resolve;
    return promise.finally(() => clearTimeout(timer));
  }

  #count(from: number): void {
    clearTimeout(this.#timer);
    const left = from + this.#options.times.holdMs - this.#options.times.renewMs - performance.now();
    this.#options.end?.extend(left);
    this.#timer = setTimeout(
      () => {
        this.#isOver = true;
        this.#show(this.#reason ?? new Error('the database did not answer in time'));
      },
      Math.max(0, left),
    );
    this.#timer.unref();
  }

  // Tells when the process has to fall silent, and when it may go on.
  #show(reason: unknown): void {
    const mute = this.#isOver || reason !== undefined;
    if (mute && !this.#isMute) {
      this.#options.say({ kind: 'away', failure: pack(reason) });
      // Nothing but a renewal lets it go on, and that comes as soon as it may.
      this.#options.end?.extend(0);
      this.#due = 0;
    }
    if (!mute && this.#isMute) this.#options.say({ kind: 'back' });
    this.#isMute = mute;
  }
}
