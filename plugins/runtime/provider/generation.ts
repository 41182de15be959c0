import type { Transport } from './transport.ts';
import {
  Roster,
  type Place,
  type Dispatch,
  type Outcome,
  createOrbHook,
  type OrbHook,
} from '../../../kernel/runner.ts';
import type { Provider } from '../../../kernel/adapter.ts';
import { timestamp, type Clock } from '../../../kernel/index.ts';

/** A run's hold on a generation: while it is held, the generation is not closed. */
export interface Lease {
  readonly generation: Generation;
  /** Start of the lease on the monotonic clock, ms. */
  readonly since: number;
  /** Called when the drain times out: the run must settle at once. */
  onRevoke: (() => void) | undefined;
  /** Its place among the leases of the generation. */
  place: Place<Lease> | undefined;
}

/** One immutable opening of a provider for an Orb. */
export class Generation {
  readonly number: number;
  readonly provider: Provider;
  readonly transport: Transport;
  /** The swap that bound it, if one did. */
  readonly swap_id: string | undefined;
  readonly #hook: OrbHook;
  readonly #clock: Clock;
  readonly #leases = new Roster<Lease>();
  #overdue = false;
  #closed = false;
  #givenUp = false;
  #drained: (() => void) | undefined;

  constructor(number: number, transport: Transport, clock: Clock, swapId?: string) {
    this.number = number;
    this.provider = transport.provider;
    this.transport = transport;
    this.swap_id = swapId;
    this.#clock = clock;
    this.#hook = createOrbHook(this.provider.name, (dispatch) => this.#serve(dispatch));
    transport.hold();
  }

  /**
   * Makes another generation on the same opening, with its own leases: runs that begin there do not delay this one's
   * drain.
   */
  again(): Generation {
    return new Generation(this.number, this.transport, this.#clock, this.swap_id);
  }

  get in_flight(): number {
    return this.#leases.size;
  }

  /** The drain has timed out: holders of a lease begin no further call. */
  get overdue(): boolean {
    return this.#overdue;
  }

  /** How long the oldest lease has been held, ms. */
  get oldest_ms(): number {
    const [oldest] = this.#leases;
    return oldest === undefined ? 0 : Math.round(this.#clock.monotonic() - oldest.since);
  }

  /**
   * Takes a lease; undefined once the generation is closed, because a run may have an older order. Synchronous, so that
   * nothing happens between reading the pointer to this generation and holding it.
   */
  lease(): Lease | undefined {
    if (this.#closed) return undefined;
    const lease: Lease = { generation: this, since: this.#clock.monotonic(), onRevoke: undefined, place: undefined };
    lease.place = this.#leases.add(lease);
    return lease;
  }

  release(lease: Lease): void {
    if (lease.place !== undefined) this.#leases.remove(lease.place);
    if (this.#leases.size === 0) this.#drained?.();
  }

  /** Serves one dispatch through its own hook; `undefined`: nothing is tapped on it. */
  call(dispatch: Dispatch): Promise<Outcome | undefined> {
    return this.#hook.call(dispatch);
  }

  /**
   * Waits until no run holds it, at most `patienceMs`; then makes the holders settle, which they do within their grace
   * period, and waits for that. After that it gives no lease. Resolves to the duration, ms.
   */
  async drain(patienceMs: number): Promise<number> {
    const begun = this.#clock.monotonic();
    if (this.#leases.size > 0) {
      const empty = Promise.withResolvers<void>();
      this.#drained = () => {
        // In the same step as the last release: code that still has this generation gets no lease before the close.
        this.#closed = true;
        empty.resolve();
      };
      const patience = setTimeout(() => this.#revoke(), patienceMs);
      await empty.promise;
      clearTimeout(patience);
    }
    this.#closed = true;
    return this.#clock.monotonic() - begun;
  }

  /** Releases the transport, once; no lease or call may follow. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#givenUp) return;
    this.#givenUp = true;
    await this.transport.release();
  }

  #revoke(): void {
    this.#overdue = true;
    for (const lease of [...this.#leases]) lease.onRevoke?.();
  }

  #serve(dispatch: Dispatch): Promise<Outcome> {
    if (!this.#closed) return this.transport.execute(dispatch);
    return Promise.reject(new Error(`generation ${this.number} of ${this.provider.name} was called after its close`));
  }
}

/** Describes an opening, before it has its number. */
export function generationRow(orb_id: string, { name, adapter, config_digest }: Provider, clock: Clock) {
  return { orb_id, provider: name, adapter: adapter.name, config_digest, created_at: timestamp(clock.now()) };
}
