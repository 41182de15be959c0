import { clock, leaving } from './members.ts';
import type { LeaseEnd } from '../peers/lease-end.ts';
import type { Bound } from './flush.ts';
import { bind, type Session } from './session.ts';
import type { Asker, LeaseTimes } from './watched.ts';

/** The database is older than what this process has seen of it. */
export class WentBack extends Error {}

/** What the holder of a lease is told. */
export interface LeaseEvents {
  /** The lease may be over: nothing that needs it may begin. */
  onOver(reason: unknown): void;
  /** It holds again. */
  onHeld(): void;
  /** Another process has the database. */
  onLost(): void;
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
export interface LeaseOptions extends LeaseEvents {
  readonly times: LeaseTimes;
  open(): Promise<Session>;
  /** Where it is noted how long the lease holds. */
  readonly end?: LeaseEnd;
  /** What else is done on its session. */
  readonly beside?: Beside;
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
  #timer: NodeJS.Timeout | undefined;
  /** When the lease is to be renewed next, on the monotonic clock. */
  #due = 0;
  #endPause: () => void = () => undefined;
  #isOver = false;
  #isMute = false;
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
        if (!(await this.#tick())) return this.#options.onLost();
      } catch (error) {
        this.#reason = error;
        this.#session?.abandon();
        this.#session = undefined;
        if (error instanceof WentBack) return this.#options.onLost();
      }
      await this.#pause();
    }
  }

  /** Answers whether the lease is still this process's. */
  async #tick(): Promise<boolean> {
    const { beside, open } = this.#options;
    this.#session ??= await open();
    const sent = performance.now();
    const renews = sent >= this.#due && beside?.isBehind !== true;
    if (renews) {
      const [renewed] = await this.#session.flush([this.#renewal()]);
      if (renewed?.rows.length !== 1) return false;
      this.#due = sent + this.#options.times.renewMs;
      this.#count(sent);
      this.#isOver = false;
    }
    await beside?.tick(this.#session, renews);
    this.#show(beside?.isBehind === true ? new Error('what other nodes changed is not learned yet') : undefined);
    return true;
  }

  #renewal(): Bound {
    const { incarnation, node } = this.#owner;
    return bind(
      `UPDATE kernel_nodes SET lease_until = ${clock} + ? WHERE node = ? AND incarnation = ? AND state = 'live' RETURNING node`,
      [this.#options.times.holdMs, node, incarnation],
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
    if (mute && !this.#isMute) this.#options.onOver(reason);
    if (!mute && this.#isMute) this.#options.onHeld();
    this.#isMute = mute;
  }
}
