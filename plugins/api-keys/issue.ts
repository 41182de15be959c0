import {
  given,
  operation,
  timestamp,
  type Clock,
  type Ids,
  type NewEvent,
  type Platform,
  type Store,
} from '../../kernel/index.ts';
import type { KeySummary } from './key.ts';
import type { Keyring } from './keyring.ts';
import apiKeysStore, { type StoredPrincipal } from './store.ts';
import { displayPrefix, tokenDigest } from './token.ts';

/** Dependencies of issuing a key. */
export interface Issuer {
  readonly store: Pick<Store, 'write'>;
  readonly keyring: Keyring;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly platform: Pick<Platform, 'recording'>;
}

/** A key to be made; the caller has already checked that it is allowed. */
export interface Order extends Pick<KeySummary, 'name' | 'scopes' | 'mode' | 'expires_at' | 'created_by'> {
  readonly owner: StoredPrincipal;
}

/** Stores the hash of a key, and its owner if new, in one write; from then on the key is accepted. */
export async function issueKey(
  { store, keyring, ids, clock, platform }: Issuer,
  order: Order,
  token: string,
): Promise<KeySummary> {
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
  const stored = { key, hash: tokenDigest(token) };
  await store.write([operation(apiKeysStore, 'create', stored), platform.recording(keyEvent('key.created', key))]);
  keyring.add(stored);
  return key;
}

/** Makes the event of a key, for those who manage the keys of its tenant. */
export function keyEvent(type: string, { key_id, principal, tenant }: KeySummary): NewEvent {
  return { type, scope: 'keys:manage', tenant, data: { key_id, principal } };
}
