import { PlatformError, type Principal } from '../../../kernel/index.ts';
import type { NamespaceGrant, Reputation } from '../../ledger/contract.ts';

/**
 * Finds the grant of a namespace that the caller may publish in: its tenant's, or any with `*`. Throws 403
 * `access_denied` when it is not granted to anybody, or to another tenant.
 */
export function ownedNamespace(
  namespace: string,
  { tenant, scopes }: Pick<Principal, 'tenant' | 'scopes'>,
  reputation: Pick<Reputation, 'namespace'>,
): NamespaceGrant {
  const grant = reputation.namespace(namespace);
  if (grant?.state !== 'granted')
    throw refused(
      'namespace_not_granted',
      `the namespace ${namespace} is not granted to anybody; ask the operator for it`,
    );
  if (grant.owner.tenant !== tenant && !scopes.includes('*'))
    throw refused('namespace_not_yours', `the namespace ${namespace} is granted to another tenant`);
  return grant;
}

function refused(code: string, detail: string): PlatformError {
  return new PlatformError('access_denied', detail, { reasons: [{ code }] });
}
