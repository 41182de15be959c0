import {
  after,
  operation,
  type Health,
  type NodeIdentity,
  type Operation,
  type PluginScope,
  type Store,
} from '../../../kernel/index.ts';
import { services, type ServiceName } from '../contract.ts';
import { statusPart, type Heartbeat } from './store.ts';
import { gapBefore, silentBeats, statusIn, type BesideBeat, type Gap } from './gap.ts';
import type { Services } from './measure.ts';

/** `last`: the last heartbeat of the previous process, if any. */
type HeartOptions = Pick<PluginScope<unknown, never>, 'clock' | 'log'> & {
  readonly store: Pick<Store, 'write'>;
  readonly last: Heartbeat | undefined;
  readonly graceMs: number;
  /** Milliseconds between two heartbeats. */
  readonly everyMs: number;
  /** Where several processes serve: the measurements of this one. */
  readonly beside?: { readonly node: NodeIdentity; readonly own: () => Services };
};

/** The heartbeat: a durable write every `everyMs` from `start` on, which also probes the store. */
export class Heart {
  readonly #options: HeartOptions;
  /** Ms since 1970 of the first heartbeat ever; undefined before it. */
  observedSince: number | undefined;
  #last: number;
  #lastLived = 0;
  /** Duration of the last write, s. */
  lastSeconds = 0;
  #missed = 0;
  #stopTimer: (() => void) | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(options: HeartOptions) {
    this.#options = options;
    this.observedSince = options.last?.first_at;
    this.#last = options.last?.last_at ?? 0;
  }

  /** Records the silence before the start, and writes the first heartbeat. Throws when the write fails. */
  async start(): Promise<void> {
    const { beside, last, graceMs, everyMs } = this.#options;
    const at = this.#now();
    if (beside !== undefined) {
      await this.#write(at, [besideOperation(beside, { at, clean: false, slept: false, starts: { graceMs } })]);
      return this.#next();
    }
    // The last measured statuses are known only up to the last heartbeat, so their spans end there.
    const ended = last === undefined ? [] : services.map((service) => endOf(service, last.last_at));
    await this.#write(at, [...ended, ...silence(gapBefore(at, last, graceMs, everyMs)), beatOf({ at, clean: false })]);
    this.#next();
  }

  /** Reports whether the last writes succeeded. */
  health(): { readonly health: Health; readonly reason?: string } {
    if (this.#missed === 0) return { health: 'up' };
    const reason = 'the heartbeat could not be written';
    return { health: this.#missed < 3 ? 'degraded' : 'down', reason };
  }

  /** Writes the last heartbeat, marked as clean. */
  async stop(): Promise<void> {
    // A heart that was never started must not hide the silence before it.
    if (this.#stopTimer === undefined) return;
    this.#stopTimer();
    this.#stopTimer = undefined;
    await this.#beating;
    await this.#beat({ clean: true });
  }

  // If the clock was set back, time that was already counted must not count again.
  #now(): number {
    return Math.max(this.#options.clock.now(), this.#last);
  }

  #next(): void {
    const beat = (): Promise<void> => {
      this.#beating = this.#beat({ clean: false });
      return this.#beating.finally(() => {
        if (this.#stopTimer !== undefined) this.#next();
      });
    };
    const { everyMs, log } = this.#options;
    this.#stopTimer = after(everyMs, beat, (err) => log.error({ err }, 'the heartbeat failed'));
  }

  async #beat(how: { readonly clean: boolean }): Promise<void> {
    const at = this.#now();
    try {
      await this.#write(at, this.#beatAt(at, how));
      this.#missed = 0;
    } catch (err) {
      if (this.#missed === 0) this.#options.log.warn({ err }, 'the heartbeat could not be written');
      this.#missed += 1;
    }
  }

  // A long time without a successful write counts as an outage. If only the wall clock went on, it was set or the
  // machine slept. The two cannot be distinguished, so that time counts neither as up nor as down.
  #beatAt(at: number, { clean }: { readonly clean: boolean }): readonly Operation[] {
    const { beside, clock, everyMs } = this.#options;
    const slept = clock.monotonic() - this.#lastLived <= silentBeats * everyMs;
    if (beside !== undefined) return [besideOperation(beside, { at, clean, slept })];
    const gap = gapBefore(at, { last_at: this.#last, clean: slept }, Infinity, everyMs);
    return [...silence(gap), beatOf({ at, clean })];
  }

  async #write(at: number, operations: readonly Operation[]): Promise<void> {
    const { store, clock } = this.#options;
    const begun = clock.monotonic();
    await store.write(operations);
    this.lastSeconds = (clock.monotonic() - begun) / 1000;
    this.observedSince ??= at;
    this.#last = at;
    this.#lastLived = begun;
  }
}

function endOf(service: ServiceName, at: number): Operation {
  return operation(statusPart, 'turn', { service, at, status: 'operational' });
}

function silence(gap: Gap): readonly Operation[] {
  if (gap.kind === 'none') return [];
  const { from, to } = gap;
  return services.map((service) => operation(statusPart, 'keep', { service, from, to, status: statusIn(gap) }));
}

function beatOf(beat: { readonly at: number; readonly clean: boolean }): Operation {
  return operation(statusPart, 'beat', beat);
}

function besideOperation(
  { node, own }: Required<HeartOptions>['beside'],
  beat: BesideBeat & { readonly clean: boolean },
): Operation {
  const { incarnation, name } = node;
  return operation(statusPart, 'beatBeside', { ...beat, node: name, incarnation, services: own() });
}
