import type { Principal } from '../../kernel/index.ts';
import { issueKey, type Issuer } from './issue.ts';
import type { KeyReads } from './store.ts';
import { generateToken } from './token.ts';

/** What the key of the platform itself needs. */
export interface PlatformKeyScope extends Issuer {
  readonly reads: Pick<KeyReads, 'own'>;
}

const name = 'platform';
const scopes = ['orbs:execute:notify.*'];

/**
 * Finds the caller that the platform itself is in a tenant. Its key may run notify Orbs alone, and its text is not kept.
 * It is made at the first call, and again after it was revoked, for the same principal.
 */
export async function platformCaller(scope: PlatformKeyScope, tenant: string): Promise<Principal> {
  const { ids, keyring, reads } = scope;
  const before = await reads.own(tenant);
  const known = before && keyring.find(before.key_id, { unexpired: true });
  if (known !== undefined) return known;
  const owner = { id: before?.principal ?? ids('prn'), name, tenant };
  const { key_id } = await issueKey(scope, { owner, name, scopes, mode: 'live', own: true }, generateToken('live'));
  const made = keyring.find(key_id);
  if (made === undefined) throw new Error(`the key ${key_id} of the platform was revoked at once`);
  return made;
}
