import { ownerOf } from '../journal/owner.ts';
import type { KnownProviders } from '../provider/known.ts';
import type { SwapScope } from './scope.ts';
import type { Slot } from '../provider/binding.ts';
import { useOf } from '../provider/use.ts';
import runtimeStore from '../store.ts';
import type { NodeUse, OrbUse } from '../tables/orb-uses.ts';
import { operation, canonical, every } from '../../../kernel/index.ts';

/** What telling and reading the uses needs. */
interface OrbUsesOptions extends Pick<SwapScope, 'bindings' | 'log' | 'reads' | 'store'> {
  readonly known: Pick<KnownProviders, 'now'>;
}

const tellMs = 1000;

/** Tells the other nodes each second how this one uses the providers of its Orbs, where that has changed. */
export class OrbUses {
  readonly #options: OrbUsesOptions;
  readonly #told = new Map<string, string>();
  readonly #stop: () => void;

  constructor(options: OrbUsesOptions) {
    this.#options = options;
    this.#stop = every(
      tellMs,
      () => this.#tell(),
      (err) => options.log.debug({ err }, 'the node could not report its use of providers'),
    );
  }

  /** Name of this node. */
  get node(): string {
    return this.#options.store.node.name;
  }

  /** Reads how the other nodes that serve used the providers of an Orb when they last wrote it. */
  async others(orbId: string): Promise<readonly NodeUse[]> {
    const { reads, store } = this.#options;
    const nodes = (await store.peers.nodes()).filter(({ serving }) => serving);
    const serving = new Set(nodes.map(({ incarnation }) => incarnation));
    const uses = await reads.orbUses(orbId);
    return uses.filter((use) => use.incarnation !== store.node.incarnation && serving.has(use.incarnation));
  }

  /** Finds the providers with which other nodes have runs in flight. */
  slotsOf(others: readonly OrbUse[]): readonly Pick<Slot, 'provider' | 'health'>[] {
    const { bindings, known } = this.#options;
    const names = new Set(others.flatMap(({ in_flight }) => Object.keys(in_flight)));
    const providers = [...names].flatMap((name) => known.now.providers.get(name) ?? []);
    return providers.map((provider) => ({ provider, health: bindings.parts.of(provider).health }));
  }

  close(): void {
    this.#stop();
  }

  async #tell(): Promise<void> {
    const { bindings, store } = this.#options;
    const uses = [...bindings.all()].map((binding) => ({ orb_id: binding.orb.orb_id, ...useOf(binding) }));
    const changed = uses.filter((use) => this.#told.get(use.orb_id) !== canonical(use));
    if (changed.length === 0) return;
    const owner = ownerOf(store);
    await store.write(changed.map((use) => operation(runtimeStore, 'putOrbUse', { ...owner, ...use })));
    // Only now: a change whose write failed is announced the next time.
    for (const use of changed) this.#told.set(use.orb_id, canonical(use));
  }
}
