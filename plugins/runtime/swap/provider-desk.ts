import { reloadProviders } from './reload-route.ts';
import type { Swapper } from './swapper.ts';
import { boundTo } from './refusals.ts';
import type { ConfiguredProviders, Reloaded } from '../provider/binding.ts';
import type { Bindings } from '../provider/bindings.ts';
import type { KnownProviders } from '../provider/known.ts';
import type { ProviderSource } from '../provider/stored.ts';
import runtimeStore from '../store.ts';
import { operation, type Operation, type Principal, type Serial } from '../../../kernel/index.ts';
import type { Adapter, Provider } from '../../../kernel/adapter.ts';

/** The dependencies of the desk. */
interface DeskOptions {
  readonly bindings: Bindings;
  readonly swapper: Swapper;
  readonly known: KnownProviders;
  readonly source: ProviderSource;
  /** Runs one change at a time, and none during a reload of the configuration. */
  readonly serial: Serial;
  readonly adopt: (next: ConfiguredProviders) => void;
}

/** The providers of an Orb, in the order in which they are tried. */
export interface OrbOrder {
  readonly capability: string;
  /** The first is active. */
  readonly names: readonly string[];
  /** Whether platform.json gives the order. */
  readonly inFile: boolean;
}

/** The configured providers for the plugin that keeps some of them in the store. */
export class ProviderDesk {
  readonly #options: DeskOptions;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** The adapters that providers of the store may have: those that ship. */
  get adapters(): readonly Adapter[] {
    return this.#options.source.adapters;
  }

  /** The providers in use, of the file and of the store. */
  get providers(): readonly Provider[] {
    return [...this.#options.known.now.providers.values()];
  }

  /** Finds a provider in use, of the file or of the store. */
  find(name: string): Provider | undefined {
    return this.#options.known.now.providers.get(name);
  }

  /** Reads the order of the providers of an Orb. Throws 404 `orb_not_found`. */
  orderOf(orbId: string): OrbOrder {
    const { bindings, source } = this.#options;
    const { orb, order } = boundTo(orbId, bindings);
    const names = order.map(({ provider }) => provider.name);
    return { capability: orb.manifest.capability, names, inFile: Object.hasOwn(source.fileOrder, orbId) };
  }

  /** Names the Orbs that a provider serves now, or that are being swapped to it. */
  servedBy(name: string): readonly string[] {
    const serves = [...this.#options.bindings.all()].filter(
      ({ order, swap }) => order[0]?.provider.name === name || swap?.to === name,
    );
    return serves.map(({ orb }) => orb.orb_id).sort();
  }

  /** Makes the write that is refused, 409 `provider_in_use`, while a swap has bound the provider to an Orb. */
  unbound(provider: string): Operation {
    return operation(runtimeStore, 'requireUnbound', { provider });
  }

  /** Makes a change of the providers in the store, and takes it into use; answers what changed for which Orb. */
  change<T>(work: () => Promise<T>, principal: Principal): Promise<{ readonly made: T; changes: readonly Reloaded[] }> {
    return this.#options.serial(async () => {
      const made = await work();
      return { made, changes: await this.#apply(principal) };
    });
  }

  /** Takes into use what other nodes have changed. */
  async follow(): Promise<void> {
    await this.#options.serial(() => this.#apply(undefined));
  }

  async #apply(principal: Principal | undefined): Promise<readonly Reloaded[]> {
    const { adopt, bindings, source, swapper } = this.#options;
    const next = await source.read();
    adopt(next);
    return reloadProviders(next, { bindings, swapper, principal });
  }
}
