import type { Config } from './config/config.ts';
import type { Provider } from './provider/adapter.ts';
import type { StorePlace } from './store/contract.ts';

/** Where the files of a plugin lie, and what is configured next to them. */
export interface FilesSource {
  readonly config: Config;
  /** The configured providers by name. */
  readonly providers: ReadonlyMap<string, Provider>;
}

/** Files of the home that a plugin reads next to its `config`: at the start, at each reload, and by `orb config check`. */
export interface PluginFiles<Read = unknown> {
  /** Reads them and adds each fault with its path to `faults`; one fault stops the start. */
  read(source: FilesSource, faults: string[]): Read;
  /** Compares what was read with what a store holds, as the start will. Throws ConfigError. */
  check(read: Read, place: StorePlace): Promise<void>;
  /** Lists what they define, by kind: `{ orbs: ['notify.email@1.0.0'] }`. */
  list(read: Read): Readonly<Record<string, readonly string[]>>;
}
