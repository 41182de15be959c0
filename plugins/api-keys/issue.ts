import { type PluginScope, given, operation, timestamp, type Store } from '../../kernel/index.ts';
import type { KeySummary } from './key.ts';
import type { Keyring } from './keyring.ts';
import type { KnownPrincipal } from './contract.ts';
import apiKeysStore, { type StoredKey } from './store.ts';
import { displayPrefix, tokenDigest } from './token.ts';
import type { NewEvent, Runtime } from '../runtime/contract.ts';

/** Dependencies of issuing a key. */
export interface Issuer extends Pick<PluginScope<unknown, never>, 'clock' | 'ids'> {
  readonly store: Pick<Store, 'peers' | 'write'>;
  readonly keyring: Keyring;
  readonly runtime: Pick<Runtime, 'recording'>;
}

/** A key to be made; the caller has already checked that it is allowed. */
export interface Order extends Pick<KeySummary, 'name' | 'scopes' | 'mode' | 'expires_at' | 'created_by'> {
  readonly owner: KnownPrincipal;
  /** Id of the key that asks for it. */
  readonly by?: string;
  /** The platform itself uses it. */
  readonly own?: true;
}

/**
 * Stores the hash of a key, and its owner if new, in one write; from then on every node accepts the key. Throws 401
 * `unauthenticated` when the key that asks was revoked before that.
 */
export async function issueKey(issuer: Issuer, order: Order, token: string): Promise<KeySummary> {
  const { store, keyring, runtime } = issuer;
  const stored = newKey(issuer, order, token);
  const { key } = stored;
  const create = operation(apiKeysStore, 'create', { ...stored, by: order.by, own: order.own });
  await store.write([create, runtime.recording(keyEvent('key.created', key))]);
  keyring.add(stored);
  await store.peers.everywhere();
  return key;
}

/** Makes a key with the hash of its text. */
export function newKey({ ids, clock }: Pick<Issuer, 'ids' | 'clock'>, order: Order, token: string): StoredKey {
  const { owner, name, scopes, mode, expires_at, created_by } = order;
  const key: KeySummary = {
    key_id: ids('key'),
    principal: owner.id,
    principal_name: owner.name,
    tenant: owner.tenant,
    name,
    prefix: displayPrefix(token),
    scopes,
    mode,
    created_at: timestamp(clock.now()),
    ...given({ created_by, expires_at }),
  };
  return { key, hash: tokenDigest(token) };
}

/** Makes the event of a key, for callers that manage the keys of its tenant. */
export function keyEvent(type: string, { key_id, principal, tenant }: KeySummary): NewEvent {
  return { type, scope: 'keys:manage', tenant, data: { key_id, principal } };
}
