import { defineService } from '../../../kernel/index.ts';
import type { Adapter, Provider } from '../../../kernel/adapter.ts';

/** A provider that was put over the API. */
export interface StoredProvider extends Provider {
  readonly origin: 'store';
}

/** The port `stored_providers`: the providers and their orders that were put over the API. */
export interface StoredProviders {
  /** Makes them by these adapters, the oldest first; one that cannot be made is left out, and the log says why. */
  read(adapters: readonly Adapter[]): Promise<readonly StoredProvider[]>;
  /** Reads the orders of providers by Orb. */
  orders(): Promise<Readonly<Record<string, readonly string[]>>>;
}

/** The token of the port: the plugin that keeps such providers provides it. */
export const storedProviders = defineService<StoredProviders>('stored_providers');
