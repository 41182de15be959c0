import type { Clock } from '../../tools/clock.ts';
import { after } from '../../tools/every.ts';
import type { Log } from '../../tools/log.ts';
import { within } from '../../tools/within.ts';
import type { Awaitable, Store } from '../../store/contract.ts';
import type { Provider } from '../provider/adapter.ts';
import { retire, switchBinding, type Binding } from '../provider/binding.ts';
import type { Bindings } from '../provider/bindings.ts';
import { Generation } from '../provider/generation.ts';
import type { Swap } from '../provider/swap-record.ts';
import type { Transport } from '../provider/transport.ts';
import { bindingTopic } from './tables.ts';

/** What following needs. */
export interface FollowOptions {
  readonly store: Pick<Store, 'peers'>;
  readonly bindings: Bindings;
  readonly reads: {
    boundSwap(orbId: string): Awaitable<{ readonly swap_id: string } | undefined>;
    findSwap(swapId: string): Awaitable<Swap | undefined>;
  };
  readonly clock: Clock;
  readonly log: Log;
  readonly drainMs: number;
  readonly resolve: (name: string) => Provider;
}

// A node that learns for longer than two seconds falls silent.
const learnMs = 1500;
const retryMs = 5000;

/**
 * Binds on this node what other nodes have swapped: its own opening of the provider, then the pointer, then the drain of
 * its own runs. Until then its runs go on with the old provider, which stays open here.
 */
export class SwapFollower {
  readonly #options: FollowOptions;
  /** Orb id → the last swap that is bound here. */
  readonly #bound: Map<string, string>;
  readonly #binding = new Map<string, Promise<void>>();
  #closed = false;

  /** `bound`: Orb id → the swap that bound the provider with which the bindings were made. */
  constructor(bound: ReadonlyMap<string, string>, options: FollowOptions) {
    this.#options = options;
    this.#bound = new Map(bound);
    options.store.peers.onChange(bindingTopic, (orbIds) => this.#learn(orbIds));
  }

  /** The last swap of an Orb that is bound here; null: none was. */
  last(orbId: string): string | null {
    return this.#bound.get(orbId) ?? null;
  }

  /** Notes a swap that this node has bound itself. */
  note({ orb_id, swap_id }: Pick<Swap, 'orb_id' | 'swap_id'>): void {
    this.#bound.set(orb_id, swap_id);
  }

  /** Resolves when each node that serves has bound what was bound before the call, or has given up for now. */
  everywhere(): Promise<void> {
    return this.#options.store.peers.everywhere();
  }

  close(): void {
    this.#closed = true;
  }

  async #learn(orbIds: readonly string[]): Promise<void> {
    const all = Promise.all(orbIds.map((orbId) => this.#follow(orbId)));
    await within<unknown>(learnMs, all, () =>
      this.#options.log.warn({ orbs: orbIds }, 'a provider that another node has bound is still being opened here'),
    );
  }

  // One after the other: a later swap is read when the earlier one is bound.
  #follow(orbId: string): Promise<void> {
    const next = (this.#binding.get(orbId) ?? Promise.resolve()).then(() => this.#bind(orbId));
    this.#binding.set(orbId, next);
    return next;
  }

  async #bind(orbId: string): Promise<void> {
    const { bindings, log, reads } = this.#options;
    if (this.#closed) return;
    try {
      const row = await reads.boundSwap(orbId);
      if (row === undefined) return void this.#bound.delete(orbId);
      if (row.swap_id === this.#bound.get(orbId)) return;
      const [binding, swap] = [bindings.find(orbId), await reads.findSwap(row.swap_id)];
      if (binding !== undefined && swap !== undefined) await this.#switch(binding, swap);
    } catch (err) {
      log.error(
        { err, orb_id: orbId },
        'this node cannot bind what another node has bound; the old provider serves here',
      );
      const failed = (cause: unknown): void => log.error({ err: cause, orb_id: orbId }, 'a swap could not be followed');
      after(retryMs, () => this.#follow(orbId), failed);
    }
  }

  async #switch(binding: Binding, swap: Swap): Promise<void> {
    const { bindings, clock, drainMs, log, resolve } = this.#options;
    const transport = bindings.transport(resolve(swap.to));
    await openOrClose(transport, binding.orb.manifest.timeout_ms);
    const generation = new Generation(swap.generation, transport, clock, swap.swap_id);
    const old = switchBinding(binding, bindings.sharedOf(generation.provider), generation);
    binding.source = 'swap';
    binding.last_swap = swap;
    this.note(swap);
    const drained = Promise.all(old.map((held) => retire(binding, held, drainMs)));
    drained.catch((err: unknown) => log.error({ err, swap_id: swap.swap_id }, 'a drain failed'));
  }
}

async function openOrClose(transport: Transport, timeoutMs: number): Promise<void> {
  try {
    await transport.open(timeoutMs);
  } catch (error) {
    await transport.close();
    throw error;
  }
}
