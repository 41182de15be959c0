import { defineCommand, type Command, type CommandCall } from '../../../kernel/index.ts';
import type { NamespaceGrant } from '../../ledger/contract.ts';

/** `orb namespaces grant`: grants a namespace, or changes its owner or key. */
export const grantNamespace: Command = defineCommand({
  path: 'namespaces grant',
  summary: 'grant a namespace, or change its owner or manifest key',
  args: [{ name: 'namespace', description: 'such as notify' }],
  options: [
    { flag: '--owner <principal>', description: 'prn_…; default: as it is, of a new grant yourself' },
    { flag: '--tenant <tenant>', description: "Default: the owner's" },
    { flag: '--manifest-key <key>', description: 'Public key, as `orb orbs sign` prints it; default: as it is' },
  ],
  async run(call) {
    const granted = await call.client().request<NamespaceGrant>('POST', '/namespaces', bodyOf(call));
    const { namespace, owner, manifest_key } = granted;
    const key = manifest_key === undefined ? 'without a manifest key' : `manifest key ${manifest_key.x}`;
    call.print(granted, `${namespace} belongs to ${owner.principal ?? 'anyone'} of tenant ${owner.tenant}, ${key}`);
  },
});

function bodyOf({ args: [namespace = ''], options: { owner, tenant, manifestKey } }: CommandCall): object {
  const owning = {
    ...(tenant === undefined ? {} : { tenant }),
    ...(owner === undefined ? {} : { principal: owner }),
  };
  return {
    namespace,
    ...(Object.keys(owning).length === 0 ? {} : { owner: owning }),
    ...(manifestKey === undefined ? {} : { manifest_key: { kty: 'OKP', crv: 'Ed25519', x: manifestKey } }),
  };
}
