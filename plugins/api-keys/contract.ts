/** The contract of API keys that other plugins may import: the principals of keys. */
import { defineService, type Awaitable, type Principal } from '../../kernel/index.ts';

export { isToken, tokenLength } from './token.ts';

/** A principal that keys belong to; it outlives its keys. */
export interface KnownPrincipal {
  /** `prn_<ulid>` */
  readonly id: string;
  readonly name: string;
  readonly tenant: string;
}

/** The principals of the installation, read from the store. */
export interface Principals {
  find(id: string): Awaitable<KnownPrincipal | undefined>;
  /** Returns the principal of the first key; undefined before the hook `ready` has made that key. */
  first(): Awaitable<KnownPrincipal | undefined>;
  /** Lists what a principal may do by its keys that are not revoked and have not expired. */
  callers(id: string): Promise<readonly Principal[]>;
  /**
   * Finds the caller that the platform itself is in a tenant, which may run notify Orbs alone. It has a key whose text
   * is not kept, made at the first call and again after it was revoked.
   */
  platform(tenant: string): Promise<Principal>;
  /**
   * Finds a caller of the platform for one purpose in a tenant, as `platform` does; its key has these scopes alone. With
   * other scopes than before it gets another key.
   */
  own(tenant: string, caller: OwnCaller): Promise<Principal>;
}

/** A caller of the platform itself: its name, and all that it may do. */
export interface OwnCaller {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** The service that tells the name of a key by its id; undefined: there is none. */
export const keyNames = defineService<(keyId: string) => Awaitable<string | undefined>>('key_names');

/** The service that finds principals. */
export const principals = defineService<Principals>('principals');
