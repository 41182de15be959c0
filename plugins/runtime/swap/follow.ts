import { ownerOf } from '../journal/owner.ts';
import type { SwapScope } from './scope.ts';
import { patienceOf, retire, switchBinding, type Binding } from '../provider/binding.ts';
import type { Swap } from '../tables/swap-record.ts';
import type { Transport } from '../provider/transport.ts';
import runtimeStore from '../store.ts';
import { free, Preparations } from './prepare.ts';
import { bindingTopic } from '../tables/swaps.ts';
import { after, operation } from '../../../kernel/index.ts';
import { Generation } from '../provider/generation.ts';

const retryMs = { first: 250, most: 5000 };

/**
 * Makes on this node the swaps of other nodes: its own opening of the provider when the swap begins, the pointer when it
 * is bound, then the drain of its own runs. Until then its runs go on with the old provider, which stays open here. A
 * change that cannot be learned in time counts as learned for the node that leads the swap: from then on this node
 * refuses runs of the Orb, until it has learned it.
 */
export class SwapFollower {
  readonly #options: SwapScope;
  readonly #preparing: Preparations;
  /** Orb id → the last swap that is bound here. */
  readonly #bound: Map<string, string>;
  readonly #turns = new Map<string, Promise<void>>();
  /** Orb id → how often in a row its binding could not be learned. */
  readonly #failures = new Map<string, number>();
  #closed = false;

  /** `bound`: Orb id → the swap that bound the provider with which the bindings were made. */
  constructor(bound: ReadonlyMap<string, string>, options: SwapScope) {
    this.#options = options;
    this.#bound = new Map(bound);
    this.#preparing = new Preparations(options);
    options.store.peers.follow(
      bindingTopic,
      async (orbIds) => void (await Promise.all(orbIds.map((orbId) => this.again(orbId)))),
      (orbIds) => this.#refuse(orbIds),
    );
  }

  /** Opens the providers of swaps under way; resolves when they are open or have failed. Call it before the node serves. */
  async join(): Promise<void> {
    const opening = await this.#options.reads.openingSwaps();
    await Promise.all(opening.map(({ orb_id }) => this.again(orb_id)));
    await this.#preparing.settled();
  }

  /** The last swap of an Orb that is bound here; null: none was. */
  last(orbId: string): string | null {
    return this.#bound.get(orbId) ?? null;
  }

  /** Notes a swap that this node has bound itself. */
  note({ orb_id, swap_id }: Pick<Swap, 'orb_id' | 'swap_id'>): void {
    this.#bound.set(orb_id, swap_id);
  }

  close(): void {
    this.#closed = true;
    this.#preparing.close();
  }

  // Their swaps could not be applied in time.
  #refuse(orbIds: readonly string[]): void {
    const late = orbIds.filter((orbId) => this.#turns.has(orbId));
    for (const orbId of late) this.#setOutdated(orbId, true);
    this.#options.log.warn(
      { orbs: late },
      'this node has not applied a swap of another node yet; it refuses runs of the Orb',
    );
  }

  /**
   * Reads the swaps of an Orb, one after the other: a later swap is read when the earlier one is bound. No notification
   * comes of a swap that another node led and this node has ended.
   */
  again(orbId: string): Promise<void> {
    const next = (this.#turns.get(orbId) ?? Promise.resolve())
      .then(() => this.#read(orbId))
      .then((learned) => {
        // A later announcement is not followed yet, so the state stays outdated.
        if (this.#turns.get(orbId) !== next) return;
        this.#turns.delete(orbId);
        if (learned) this.#setOutdated(orbId, false);
      });
    this.#turns.set(orbId, next);
    return next;
  }

  #setOutdated(orbId: string, outdated: boolean): void {
    const binding = this.#options.bindings.find(orbId);
    if (binding !== undefined) binding.outdated = outdated;
  }

  /** Answers whether this node has bound what is bound. */
  async #read(orbId: string): Promise<boolean> {
    const { bindings, reads, store } = this.#options;
    if (this.#closed) return false;
    try {
      // Keep this order, so that a binding made in between does not count as failed.
      const opening = await reads.openingSwap(orbId);
      await this.#bind(orbId);
      const binding = bindings.find(orbId);
      const own = opening?.incarnation === store.node.incarnation;
      const isOver = opening?.swap_id === this.#bound.get(orbId);
      if (binding !== undefined) this.#preparing.expect(binding, own || isOver ? undefined : opening);
      this.#failures.delete(orbId);
      return true;
    } catch (err) {
      this.#setOutdated(orbId, true);
      this.#tryLater(orbId, err);
      return false;
    }
  }

  #tryLater(orbId: string, err: unknown): void {
    const { log } = this.#options;
    log.error(
      { err, orb_id: orbId },
      `this node cannot bind the provider of ${orbId} that another node bound; it refuses runs of the Orb`,
    );
    const failures = this.#failures.get(orbId) ?? 0;
    this.#failures.set(orbId, failures + 1);
    const failed = (cause: unknown): void =>
      log.error({ err: cause, orb_id: orbId }, `this node could not apply a swap of ${orbId} by another node`);
    after(Math.min(retryMs.most, retryMs.first * 2 ** failures), () => this.again(orbId), failed);
  }

  async #bind(orbId: string): Promise<void> {
    const { bindings, reads } = this.#options;
    const row = await reads.boundSwap(orbId);
    if (row === undefined) return void this.#bound.delete(orbId);
    if (row.swap_id === this.#bound.get(orbId)) return;
    const [binding, swap] = [bindings.find(orbId), await reads.findSwap(row.swap_id)];
    if (binding !== undefined && swap !== undefined) await this.#switch(binding, swap);
  }

  async #switch(binding: Binding, swap: Swap): Promise<void> {
    const { bindings, clock, drainMs, log } = this.#options;
    const transport = (await this.#preparing.take(swap)) ?? (await this.#open(binding, swap));
    const generation = new Generation(swap.generation, transport, clock, swap.swap_id);
    const old = switchBinding(binding, bindings.parts.of(generation.provider), generation);
    free(binding, swap);
    binding.source = 'swap';
    binding.last_swap = swap;
    this.note(swap);
    const drained = Promise.all(old.map((held) => retire(binding, held, patienceOf(binding, drainMs))));
    drained
      .then(() => this.#tellDrained(swap))
      .catch((err: unknown) =>
        log.error({ err, swap_id: swap.swap_id }, `the drain of the swap ${swap.swap_id} failed`),
      );
  }

  // Nothing was opened when the swap began: this node joined later, or could not be asked.
  async #open(binding: Binding, swap: Swap): Promise<Transport> {
    const { bindings, resolve } = this.#options;
    const transport = bindings.transport(resolve(swap.to));
    try {
      await transport.open(binding.orb.manifest.timeout_ms);
    } catch (error) {
      await transport.close();
      throw error;
    }
    return transport;
  }

  async #tellDrained({ swap_id }: Swap): Promise<void> {
    const { retry, store } = this.#options;
    const row = { swap_id, ...ownerOf(store), phase: 'drained' as const };
    const note = () => store.write([operation(runtimeStore, 'noteSwapNode', row)]);
    await retry.until(note, 'the end of a drain could not be reported to the other nodes');
  }
}
