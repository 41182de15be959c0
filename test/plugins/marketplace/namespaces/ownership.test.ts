import { expect } from 'chai';
import type { NamespaceGrant } from '../../../../plugins/ledger/contract.ts';
import { ownedNamespace } from '../../../../plugins/marketplace/namespaces/ownership.ts';

const grant = (state: NamespaceGrant['state']): NamespaceGrant => ({
  ...{ namespace: 'acme', state, owner: { tenant: 'acme' } },
  ...{ at: '2026-11-01T00:00:00.000Z', receipt_id: 'rec_1' },
});

/** What the caller is told: the code of the refusal, or that the namespace is its own. */
function owned(tenant: string, scopes: readonly string[], known: NamespaceGrant | undefined): unknown {
  try {
    return ownedNamespace('acme', { tenant, scopes }, { namespace: () => known }) === known;
  } catch (error) {
    const { code, extensions } = error as {
      readonly code?: string;
      readonly extensions?: { readonly reasons?: object };
    };
    return [code, extensions?.reasons];
  }
}

describe('who may publish in a namespace', () => {
  const publisher = ['marketplace:publish'];
  const nobody = ['access_denied', [{ code: 'namespace_not_granted' }]];

  it('is its tenant, and the operator', () => {
    expect(owned('acme', publisher, grant('granted'))).to.equal(true);
    expect(owned('other', ['*'], grant('granted'))).to.equal(true);
    expect(owned('other', publisher, grant('granted'))).to.deep.equal([
      'access_denied',
      [{ code: 'namespace_not_yours' }],
    ]);
  });

  it('is nobody once it was revoked, or before it is granted: neither its tenant nor the operator', () => {
    for (const known of [grant('revoked'), undefined])
      for (const [tenant, scopes] of [
        ['acme', publisher],
        ['other', ['*']],
      ] as const)
        expect(owned(tenant, scopes, known)).to.deep.equal(nobody);
  });
});
