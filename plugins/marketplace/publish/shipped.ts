import type { Log } from '../../../kernel/index.ts';
import { grant, type NamespaceScope } from '../namespaces/namespaces.ts';

/** Namespaces of the Orbs that ship. */
export const shippedNamespaces: readonly string[] = ['demo', 'http', 'notify'];

/**
 * Grants the shipped namespaces to whom the first key was made for, those that were never granted or revoked: at the
 * first start all of them, after a crash in it the rest.
 */
export async function grantShipped(scope: NamespaceScope, log: Log): Promise<void> {
  const { reputation, principals } = scope;
  await reputation.settled();
  const owner = principals.first();
  if (owner === undefined) return;
  for (const namespace of shippedNamespaces.filter((name) => reputation.namespace(name) === undefined)) {
    await grant({ namespace, owner: { tenant: owner.tenant, principal: owner.id } }, undefined, scope);
    log.info({ namespace, principal: owner.id }, 'a namespace of the shipped Orbs was granted');
  }
}
