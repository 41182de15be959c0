import { defineCommand, table, type Command } from '../../../kernel/index.ts';
import type { NamespaceGrant } from '../../ledger/contract.ts';

/** `orb namespaces list`: prints all namespaces with their owners. */
export const listNamespaces: Command = defineCommand({
  path: 'namespaces list',
  summary: 'list namespaces with their owners and manifest keys',
  async run(call) {
    const answer = await call.client().request<{ namespaces: readonly NamespaceGrant[] }>('GET', '/namespaces');
    const head = ['NAMESPACE', 'STATE', 'TENANT', 'PRINCIPAL', 'MANIFEST KEY'];
    call.print(answer, table([head, ...answer.namespaces.map(row)]));
  },
});

function row({ namespace, state, owner, manifest_key }: NamespaceGrant): string[] {
  return [namespace, state, owner.tenant, owner.principal ?? '-', manifest_key?.x ?? '-'];
}
