import type { Health, HealthCheck } from '../../health.ts';
import type { Attendance } from '../engine.ts';
import type { Skew } from '../message.ts';

interface ConditionOptions {
  /** The part of this thread in a store on an engine; absent: the store is a file, which a process holds permanently. */
  readonly attendance?: Pick<Attendance, 'isMute' | 'isOver' | 'waits'> | undefined;
  /** Called when its health changes, but not when it closes. */
  onHealth?(health: Health, reason?: string): void;
}

/** The health of the store. `down` is final. */
export class Condition {
  closing = false;
  /** The database does not answer: new writes wait until it does. */
  away = false;
  /** Resolves when the writes are answered. */
  settled: () => Promise<void> = () => Promise.resolve();
  /** Limits waits for a database to some seconds; a file is always available. */
  readonly waits: Attendance['waits'] | undefined;
  /** Resolves when it is down, and not because it closes. */
  readonly down: Promise<void>;
  readonly #isDown = Promise.withResolvers<void>();
  readonly #attendance: ConditionOptions['attendance'];
  readonly #onHealth: ConditionOptions['onHealth'];
  #health: Health = 'unknown';
  #reason: string | undefined;
  #quiet = false;
  #skew: { readonly isMute: boolean; readonly reason: string } | undefined;

  constructor({ attendance, onHealth }: ConditionOptions) {
    this.#attendance = attendance;
    this.#onHealth = onHealth;
    this.waits = attendance?.waits;
    this.down = this.#isDown.promise;
  }

  writable(): boolean {
    return !this.closing && this.#health !== 'down';
  }

  /** Whether the times of the process are wrong, or were until now: it writes nothing but its lease. */
  isMute(): boolean {
    // The clock may have been set since it was compared last.
    return this.#skew?.isMute === true || this.#quiet || this.#attendance?.isMute() === true;
  }

  /** Whether other nodes may have made changes that this node does not know, because they no longer wait for it. */
  isCut(): boolean {
    return this.away || this.#attendance?.isOver() === true;
  }

  isAway(): boolean {
    return this.isCut() || this.isMute();
  }

  /** Whether the last batch could not be committed. */
  get failing(): boolean {
    return this.#health === 'degraded';
  }

  now(): ReturnType<HealthCheck> {
    if (this.#health === 'up' && this.#skew !== undefined) return { health: 'degraded', reason: this.#skew.reason };
    return { health: this.#health, ...(this.#reason === undefined ? {} : { reason: this.#reason }) };
  }

  set(health: Health, reason?: string, away = false): void {
    this.away = away;
    if (away) this.waits?.away();
    else this.waits?.back();
    if (this.#health === 'down' || (this.#health === health && this.#reason === reason)) return;
    this.#health = health;
    this.#reason = reason;
    if (this.closing) return;
    this.#tell();
    if (health === 'down') this.#isDown.resolve();
  }

  /** Lets the process write nothing while its roles are given up, or again; resolves when what it wrote is answered. */
  quiet(is: boolean): Promise<void> {
    this.#quiet = is;
    return this.settled();
  }

  /** Notes how far the clock of the machine is from that of the database. */
  skewed(skew: Skew, reason: string): void {
    this.#skew = skew === 'none' ? undefined : { isMute: skew === 'mute', reason };
    if (this.#health === 'up' && !this.closing) this.#tell();
  }

  #tell(): void {
    const { health, reason } = this.now();
    this.#onHealth?.(health, reason);
  }
}
