import { PlatformError, type Principal } from '../../../kernel/index.ts';
import type { NamespaceGrant, Reputation } from '../../ledger/contract.ts';

/**
 * Finds the grant of a namespace in which the caller may publish: one of its own tenant, or any with scope `*`. Throws
 * 403 `access_denied` if there is no grant, or another tenant has it.
 */
export function ownedNamespace(
  namespace: string,
  { tenant, scopes }: Pick<Principal, 'tenant' | 'scopes'>,
  reputation: Pick<Reputation, 'namespace'>,
): NamespaceGrant {
  const grant = reputation.namespace(namespace);
  if (grant?.state !== 'granted')
    throw refused('namespace_not_granted', `the namespace ${namespace} is not granted; ask the operator for it`);
  if (grant.owner.tenant !== tenant && !scopes.includes('*'))
    throw refused('namespace_not_yours', `the namespace ${namespace} is granted to another tenant`);
  return grant;
}

function refused(code: string, detail: string): PlatformError {
  return new PlatformError('access_denied', detail, { reasons: [{ code }] });
}
