import { after, operation, type Health, type Operation, type PluginScope, type Store } from '../../../kernel/index.ts';
import { services, type ServiceName } from '../contract.ts';
import observabilityStore, { type Heartbeat } from '../store.ts';

const beatMs = 10_000;
// Silence of this many ms or less is not recorded.
const silenceMs = 3 * beatMs;

/** Kind of a time without a heartbeat: too short to record, a planned restart, or an outage. */
export type Gap =
  { readonly kind: 'none' } | { readonly kind: 'planned' | 'outage'; readonly from: number; readonly to: number };

/**
 * Classifies the time (ms) between the last heartbeat and now. Longer than three beats it is a planned restart if the
 * last process ended cleanly and the new one started within `graceMs`, else an outage. A clock that was set back makes
 * no gap.
 */
export function gapBefore(now: number, last: Pick<Heartbeat, 'last_at' | 'clean'> | undefined, graceMs: number): Gap {
  if (last === undefined || now - last.last_at <= silenceMs) return { kind: 'none' };
  const planned = last.clean && now - last.last_at <= graceMs;
  return { kind: planned ? 'planned' : 'outage', from: last.last_at, to: now };
}

/** `last`: the last heartbeat of the previous process, if any. */
type HeartOptions = Pick<PluginScope<unknown, never>, 'clock' | 'log'> & {
  readonly store: Pick<Store, 'write'>;
  readonly last: Heartbeat | undefined;
  readonly graceMs: number;
};

/** The heartbeat: a durable write every ten seconds from `start` on, which also probes the store. */
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
    const { last, graceMs } = this.#options;
    const at = this.#now();
    // The last measured statuses are known only up to the last heartbeat, so their spans end there.
    const ended = last === undefined ? [] : services.map((service) => endOf(service, last.last_at));
    await this.#write(at, { clean: false }, [...ended, ...silence(gapBefore(at, last, graceMs))]);
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
    this.#stopTimer = after(beatMs, beat, (err) => this.#options.log.error({ err }, 'a heartbeat is missing'));
  }

  async #beat(how: { readonly clean: boolean }): Promise<void> {
    const at = this.#now();
    try {
      await this.#write(at, how, silence(this.#gapIn(at)));
      this.#missed = 0;
    } catch (err) {
      if (this.#missed === 0) this.#options.log.warn({ err }, 'the heartbeat could not be written');
      this.#missed += 1;
    }
  }

  // A long time without a successful write counts as an outage. If only the wall clock went on, it was set or the
  // machine slept. The two cannot be distinguished, so that time counts neither as up nor as down.
  #gapIn(at: number): Gap {
    const lived = this.#options.clock.monotonic() - this.#lastLived;
    return gapBefore(at, { last_at: this.#last, clean: lived <= silenceMs }, Infinity);
  }

  async #write(at: number, { clean }: { readonly clean: boolean }, before: readonly Operation[]): Promise<void> {
    const { store, clock } = this.#options;
    const begun = clock.monotonic();
    await store.write([...before, operation(observabilityStore, 'beat', { at, clean })]);
    this.lastSeconds = (clock.monotonic() - begun) / 1000;
    this.observedSince ??= at;
    this.#last = at;
    this.#lastLived = begun;
  }
}

function endOf(service: ServiceName, at: number): Operation {
  return operation(observabilityStore, 'turn', { service, at, status: 'operational' });
}

function silence(gap: Gap): readonly Operation[] {
  if (gap.kind === 'none') return [];
  const { kind, from, to } = gap;
  const status = kind === 'planned' ? 'under_maintenance' : 'major_outage';
  return services.map((service) => operation(observabilityStore, 'keep', { service, from, to, status }));
}
