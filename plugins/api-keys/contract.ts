/** The contract of API keys that other plugins may import: the principals of keys. */
import { defineService, type Awaitable } from '../../kernel/index.ts';

/** A principal that keys belong to; it outlives its keys. */
export interface KnownPrincipal {
  /** `prn_<ulid>` */
  readonly id: string;
  readonly tenant: string;
}

/** The principals of the installation, read from the store. */
export interface Principals {
  find(id: string): Awaitable<KnownPrincipal | undefined>;
  /** Returns the principal of the first key; undefined before the hook `ready` has made that key. */
  first(): Awaitable<KnownPrincipal | undefined>;
}

/** The service that tells the name of a key by its id; undefined: there is none. */
export const keyNames = defineService<(keyId: string) => Awaitable<string | undefined>>('key_names');

/** The service that finds principals. */
export const principals = defineService<Principals>('principals');
