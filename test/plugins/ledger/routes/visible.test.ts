import { expect } from 'chai';
import type { Principal } from '../../../../kernel/index.ts';
import type { ListingChange, NamespaceGrant } from '../../../../plugins/ledger/contract.ts';
import { maySee, requireExport, type Sight } from '../../../../plugins/ledger/routes/visible.ts';
import type { Catalog } from '../../../../plugins/runtime/contract.ts';

const orb = 'acme.tool@1.0.0';
const caller = (tenant: string, ...scopes: readonly string[]): { readonly principal: Principal } => ({
  principal: { id: 'prn_1', key_id: 'key_1', tenant, mode: 'live', scopes },
});
const sight = (
  listed?: ListingChange['state'],
  granted?: NamespaceGrant['state'],
  known = true,
  installed: readonly string[] = [],
): Sight => ({
  catalog: { orbs: new Map(installed.map((id) => [id, {}])) } as unknown as Catalog,
  isNamed: () => known,
  versionOf: (id) => id,
  listing: () => (listed === undefined ? undefined : ({ orb_id: orb, state: listed } as ListingChange)),
  namespace: (namespace) =>
    granted === undefined || namespace !== 'acme'
      ? undefined
      : ({ namespace, state: granted, owner: { tenant: 'acme' } } as NamespaceGrant),
});

describe('who sees what of an Orb', () => {
  it('is everybody of a listed one, yanked too, and nobody without a key of a removed or unlisted one', () => {
    for (const state of ['published', 'deprecated', 'yanked'] as const)
      expect(maySee(sight(state), orb, {}), state).to.equal(true);
    for (const state of ['removed', undefined] as const) {
      expect(maySee(sight(state), orb, {}), state).to.equal(false);
      expect(maySee(sight(state), orb, caller('other'))).to.equal(true);
      expect(maySee(sight(state, undefined, false), orb, caller('other'))).to.equal(false);
      expect(maySee(sight(state, undefined, false, [orb]), orb, caller('other')), 'installed, never run').to.equal(
        true,
      );
    }
  });

  const exported = (granted: NamespaceGrant['state'] | undefined, who: { readonly principal?: Principal }): string => {
    try {
      requireExport(sight('published', granted), orb, who);
      return 'allowed';
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
  };

  it('is of callers and entries: the tenant of its namespace with the scope, and the operator', () => {
    expect(exported('granted', caller('acme', 'reputation:export'))).to.equal('allowed');
    expect(exported(undefined, caller('other', '*'))).to.equal('allowed');
    expect(exported('granted', {})).to.equal('unauthenticated');
    for (const [granted, who] of [
      ['granted', caller('acme', 'orbs:read')],
      ['granted', caller('other', 'reputation:export')],
      ['revoked', caller('acme', 'reputation:export')],
      [undefined, caller('acme', 'reputation:export')],
    ] as const)
      expect(exported(granted, who)).to.equal('insufficient_scope');
  });
});
