import type { Clock } from '../../tools/clock.ts';
import { createOrbHook, type OrbHook } from '../../hooks.ts';
import type { Provider } from './adapter.ts';
import type { Dispatch, Outcome } from '../outcome/outcome.ts';
import type { Transport } from './transport.ts';

/** A run's hold on a generation: while it is held, the generation is not closed. */
export interface Lease {
  readonly generation: Generation;
  /** On the clock that never goes back, ms. */
  readonly since: number;
  /** Told when the drain's patience is over: the run must settle at once. */
  onRevoke: (() => void) | undefined;
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
  readonly #leases = new Set<Lease>();
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

  /** Makes another hold on the same opening, with leases of its own: what begins there does not keep this one from draining. */
  again(): Generation {
    return new Generation(this.number, this.transport, this.#clock, this.swap_id);
  }

  get in_flight(): number {
    return this.#leases.size;
  }

  /** The drain's patience is over: who holds it begins no call any more. */
  get overdue(): boolean {
    return this.#overdue;
  }

  /** How long the oldest lease has been held, ms. */
  get oldest_ms(): number {
    const [oldest] = this.#leases;
    return oldest === undefined ? 0 : Math.round(this.#clock.monotonic() - oldest.since);
  }

  /**
   * Takes a lease; none once it is closed: a run knows the order of the moment it began. Synchronous, so that nothing
   * comes between reading the pointer to this generation and holding it.
   */
  lease(): Lease | undefined {
    if (this.#closed) return undefined;
    const lease: Lease = { generation: this, since: this.#clock.monotonic(), onRevoke: undefined };
    this.#leases.add(lease);
    return lease;
  }

  release(lease: Lease): void {
    this.#leases.delete(lease);
    if (this.#leases.size === 0) this.#drained?.();
  }

  /** Serves one dispatch through its own hook; `undefined`: nothing is tapped on it. */
  call(dispatch: Dispatch): Promise<Outcome | undefined> {
    return this.#hook.call(dispatch);
  }

  /**
   * Waits until no run holds it, at most `patienceMs`; then tells the holders to settle, which they do within their
   * grace, and waits for that. From then on nothing is leased. Resolves to how long it took, ms.
   */
  async drain(patienceMs: number): Promise<number> {
    const begun = this.#clock.monotonic();
    if (this.#leases.size > 0) {
      const empty = Promise.withResolvers<void>();
      this.#drained = () => {
        // In the same step as the last release: whoever still knows it takes no lease before the close.
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

  /** Gives up the transport, once; nothing may be leased or called any more. */
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
