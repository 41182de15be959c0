import { setTimeout as delay } from 'node:timers/promises';
import { ownerOf } from '../journal/owner.ts';
import type { Binding } from '../provider/binding.ts';
import type { SwapScope } from './scope.ts';
import type { Swap } from '../tables/swap-record.ts';
import { loggedReason } from '../outcome/provider-failure.ts';
import type { Transport } from '../provider/transport.ts';
import runtimeStore from '../store.ts';
import type { SwapNode } from '../tables/swap-nodes.ts';
import { fitting, invalidProvider, prove } from './refusals.ts';
import { PlatformError, operation } from '../../../kernel/index.ts';
import type { Provider } from '../../../kernel/adapter.ts';

interface Prepared {
  readonly binding: Binding;
  readonly swap: Swap;
  transport?: Transport;
  /** The swap was bound or has failed: nothing more is prepared. */
  over: boolean;
  /** Resolves when it is open or has failed, and the node that leads the swap was told so. */
  done: Promise<void>;
}

const lookMs = 25;

/** The providers that this node has opened for unfinished swaps of other nodes. An Orb has at most one such swap. */
export class Preparations {
  readonly #options: SwapScope;
  readonly #byOrb = new Map<string, Prepared>();

  constructor(options: SwapScope) {
    this.#options = options;
  }

  /**
   * Opens the provider that a swap will bind, unless it is open; closes one that an earlier swap of the Orb did not
   * bind.
   */
  expect(binding: Binding, swap: Swap | undefined): void {
    const { orb_id } = binding.orb;
    const held = this.#byOrb.get(orb_id);
    if (held?.swap.swap_id === swap?.swap_id) return;
    if (held !== undefined) this.#drop(held);
    if (swap !== undefined) this.#byOrb.set(orb_id, this.#begin(binding, swap));
  }

  /** Returns the provider that was opened for a swap that is bound now; undefined: none is open. Then call `free`. */
  async take({ orb_id, swap_id }: Swap): Promise<Transport | undefined> {
    const held = this.#byOrb.get(orb_id);
    if (held?.swap.swap_id !== swap_id) return undefined;
    await held.done;
    if (held.over) return undefined;
    held.over = true;
    this.#byOrb.delete(orb_id);
    return held.transport;
  }

  /** Resolves when all that is being prepared is open or has failed. */
  async settled(): Promise<void> {
    await Promise.all([...this.#byOrb.values()].map(({ done }) => done));
  }

  /** Closes all. */
  close(): void {
    for (const held of this.#byOrb.values()) this.#drop(held);
  }

  #begin(binding: Binding, swap: Swap): Prepared {
    const held: Prepared = { binding, swap, over: false, done: Promise.resolve() };
    held.done = this.#prepare(held).catch((err: unknown) =>
      this.#options.log.error(
        { err, swap_id: swap.swap_id },
        `the result could not be reported to the node that runs the swap ${swap.swap_id}`,
      ),
    );
    return held;
  }

  #drop(held: Prepared): void {
    held.over = true;
    this.#byOrb.delete(held.swap.orb_id);
    this.#release(held);
  }

  #release(held: Prepared): void {
    free(held.binding, held.swap);
    const { transport } = held;
    delete held.transport;
    void transport?.close();
  }

  async #prepare(held: Prepared): Promise<void> {
    const { store } = this.#options;
    const said = await this.#open(held);
    if (held.over || said.phase !== 'opened') this.#release(held);
    const row = { swap_id: held.swap.swap_id, ...ownerOf(store), ...said };
    if (!held.over) await store.write([operation(runtimeStore, 'noteSwapNode', row)]);
  }

  async #open(held: Prepared): Promise<Pick<SwapNode, 'phase' | 'detail'>> {
    const { bindings, log } = this.#options;
    const { binding, swap } = held;
    let step = 'opening';
    try {
      await this.#occupy(held);
      const target = fitting(binding, this.#options.resolve(swap.to));
      await this.#checkSame(swap, target);
      held.transport = bindings.transport(target);
      await prove(binding.orb, held.transport, () => void (step = 'probing'));
      return { phase: 'opened' };
    } catch (error) {
      const { swap_id, orb_id, to } = swap;
      log.warn(
        { swap_id, orb_id, to, reason: loggedReason(held.transport?.provider, error) },
        `this node cannot open or probe provider ${to} for a swap of ${orb_id} by another node`,
      );
      const isUnfit = error instanceof PlatformError && error.code === 'invalid_provider';
      return isUnfit ? { phase: 'unfit', detail: error.message } : { phase: 'failed', detail: `${step}_failed` };
    }
  }

  // A reload of this node may be changing the provider. From here on it is refused, as on the node that leads.
  async #occupy(held: Prepared): Promise<void> {
    while (held.binding.swap !== undefined && !held.over) await delay(lookMs);
    if (held.over) throw new Error('the swap has ended');
    held.binding.swap = held.swap;
  }

  async #checkSame({ orb_id, generation, to }: Swap, target: Provider): Promise<void> {
    const opened = await this.#options.reads.findGeneration(orb_id, generation);
    if (opened?.config_digest !== target.config_digest)
      throw invalidProvider(`provider ${to} is configured differently on this node`);
  }
}

/** Lets an Orb be swapped again. */
export function free(binding: Binding, { swap_id }: Pick<Swap, 'swap_id'>): void {
  if (binding.swap?.swap_id === swap_id) binding.swap = undefined;
}
