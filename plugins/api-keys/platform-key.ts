import type { Principal } from '../../kernel/index.ts';
import type { OwnCaller } from './contract.ts';
import { issueKey, type Issuer, type Order } from './issue.ts';
import type { KeySummary } from './key.ts';
import type { KeyReads } from './store.ts';
import { generateToken } from './token.ts';

/** What the key of the platform itself needs. */
export interface PlatformKeyScope extends Issuer {
  readonly reads: Pick<KeyReads, 'own' | 'ownNamed'>;
}

const platform: OwnCaller = { name: 'platform', scopes: ['orbs:execute:notify.*'] };

/**
 * Finds the caller that the platform itself is in a tenant. Its key may run notify Orbs alone, and its text is not kept.
 * It is made at the first call, and again after it was revoked, for the same principal.
 */
export async function platformCaller(scope: PlatformKeyScope, tenant: string): Promise<Principal> {
  const before = await scope.reads.own(tenant);
  return knownOf(scope, before) ?? issued(scope, { ...platform, tenant, before, own: true });
}

/** Finds the caller that the platform is for one purpose in a tenant; it gets another key when its scopes change. */
export async function ownCaller(scope: PlatformKeyScope, tenant: string, caller: OwnCaller): Promise<Principal> {
  const before = await scope.reads.ownNamed(tenant, caller.name);
  const known = knownOf(scope, before);
  const same = known !== undefined && known.scopes.join(' ') === caller.scopes.join(' ');
  return same ? known : issued(scope, { ...caller, tenant, before });
}

function knownOf({ keyring }: PlatformKeyScope, before: KeySummary | undefined): Principal | undefined {
  return before && keyring.find(before.key_id, { unexpired: true });
}

interface Wanted extends OwnCaller {
  readonly tenant: string;
  /** The key of before, whose principal stays. */
  readonly before: KeySummary | undefined;
  readonly own?: true;
}

async function issued(scope: PlatformKeyScope, { before, name, scopes, tenant, ...own }: Wanted): Promise<Principal> {
  const { ids, keyring } = scope;
  const owner = { id: before?.principal ?? ids('prn'), name, tenant };
  const order: Order = { owner, name, scopes: [...scopes], mode: 'live', ...own };
  const { key_id } = await issueKey(scope, order, generateToken('live'));
  const made = keyring.find(key_id);
  if (made === undefined) throw new Error(`the key ${key_id} of ${name} was revoked at once`);
  return made;
}
