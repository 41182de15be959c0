import { defineCommand, type Command } from '../../../kernel/index.ts';
import type { NamespaceGrant } from '../../ledger/contract.ts';

/** `orb namespaces revoke`: takes a namespace back. */
export const revokeNamespace: Command = defineCommand({
  path: 'namespaces revoke',
  summary: 'revoke a namespace; its Orbs are suspended until it is granted again',
  args: [{ name: 'namespace', description: 'such as notify' }],
  options: [{ flag: '--reason <text>', description: 'Why; attested' }],
  async run(call) {
    const [namespace = ''] = call.args;
    const { reason } = call.options;
    const query = typeof reason === 'string' ? `?reason=${encodeURIComponent(reason)}` : '';
    const path = `/namespaces/${encodeURIComponent(namespace)}${query}`;
    const revoked = await call.client().request<NamespaceGrant>('DELETE', path);
    call.print(revoked, `${revoked.namespace} is revoked`);
  },
});
