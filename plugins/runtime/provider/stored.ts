import type { ConfiguredProviders } from './binding.ts';
import type { StoredProviders } from '../facts/stored-providers.ts';
import type { Adapter, Provider } from '../../../kernel/adapter.ts';

/** Schema of where a provider comes from. */
export const origin = {
  enum: ['file', 'store'],
  description: '`file`: platform.json defines it; `store`: it was put over the API',
} as const;

/** Says where a provider comes from. */
export function originOf(provider: Provider): 'file' | 'store' {
  return 'origin' in provider ? 'store' : 'file';
}

/** What the source of providers is made of. */
interface SourceOptions {
  readonly files: ConfiguredProviders;
  /** The adapters that providers of the store may have. */
  readonly adapters: readonly Adapter[];
  readonly stored: StoredProviders | undefined;
}

/** Joins the providers and orders of platform.json and those of the store; a name in the file wins. */
export class ProviderSource {
  readonly adapters: readonly Adapter[];
  readonly #stored: StoredProviders | undefined;
  #files: ConfiguredProviders;

  constructor({ adapters, files, stored }: SourceOptions) {
    this.adapters = adapters;
    this.#files = files;
    this.#stored = stored;
  }

  /** The orders in platform.json by Orb. */
  get fileOrder(): ConfiguredProviders['order'] {
    return this.#files.order;
  }

  /** Reads the providers of the store again, and takes those of the file into use, if it was read again. */
  async read(files: ConfiguredProviders = this.#files): Promise<ConfiguredProviders> {
    const joined = await this.joined(files);
    this.#files = files;
    return joined;
  }

  /** Joins the providers and orders of the store with those of a file that is not in use yet. */
  async joined({ order, providers }: ConfiguredProviders): Promise<ConfiguredProviders> {
    const stored = (await this.#stored?.read(this.adapters)) ?? [];
    const added = stored.filter(({ name }) => !providers.has(name)).map((one) => [one.name, one] as const);
    const orders = await this.#stored?.orders();
    return { order: { ...orders, ...order }, providers: new Map<string, Provider>([...providers, ...added]) };
  }
}
