import { expect } from 'chai';
import { createSerial } from '../../../../kernel/index.ts';
import type { NamespaceGrant } from '../../../../plugins/ledger/contract.ts';
import {
  grant,
  grantShipped,
  revoke,
  shippedNamespaces,
} from '../../../../plugins/marketplace/namespaces/namespaces.ts';
import type { MarketScope } from '../../../../plugins/marketplace/scope.ts';
import { storeAlone } from '../alone.ts';

const by = { id: 'prn_1', tenant: 'acme' };
const key = (mark: string) => ({ kty: 'OKP', crv: 'Ed25519', x: mark.repeat(43) }) as const;
const acme = { tenant: 'acme', principal: 'prn_1' };
interface Facts {
  readonly change: NamespaceGrant['state'];
  readonly owner: NamespaceGrant['owner'];
}
interface Attested {
  readonly fact: { readonly namespace: string; readonly tenant: string; readonly facts: Facts };
}

/** Namespaces in a log that the ledger knows once it has followed. */
function create(...grants: readonly Partial<NamespaceGrant>[]) {
  const logged = new Map<string, NamespaceGrant>();
  const put = (more: Partial<NamespaceGrant>): void => {
    const made = { namespace: 'acme', state: 'granted', owner: acme, at: '', receipt_id: 'rec_0', ...more } as const;
    logged.set(made.namespace, made);
  };
  for (const one of grants) put(one);
  let known: ReadonlyMap<string, NamespaceGrant> = new Map();
  const attested: Attested['fact'][] = [];
  const told: object[] = [];
  const principals = new Map([['prn_1', acme.tenant] as const, ['prn_2', 'other'] as const]);
  const scope = {
    serial: createSerial(),
    clock: { now: () => 0 },
    log: { info: (about: object) => told.push(about) },
    principals: {
      first: () => ({ id: 'prn_1', tenant: 'acme' }),
      find: (id: 'prn_1') => (principals.has(id) ? { id, tenant: principals.get(id) } : undefined),
    },
    platform: {
      attest({ fact }: Attested) {
        attested.push(fact);
        const { change: state, ...rest } = fact.facts;
        put({ namespace: fact.namespace, state, ...rest });
        return Promise.resolve({ receipt_id: `rec_${attested.length}` });
      },
    },
    reputation: {
      settled: () => Promise.resolve((known = new Map(logged))),
      namespace: (name: string) => known.get(name),
    },
    store: storeAlone,
    reads: { lastGrant: () => undefined },
  } as unknown as MarketScope;
  return { scope, attested, told };
}
const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    ({ code }: { readonly code: string }) => code,
  );

describe('a change of a namespace', () => {
  it('sees the grant before it: the same again is none', async () => {
    const { scope, attested } = create({ manifest_key: key('A') });
    for (const body of [{}, { owner: { principal: 'prn_1' } }, { manifest_key: key('A') }]) {
      const { created, namespace } = await grant({ namespace: 'acme', ...body }, by, scope);
      expect([created, namespace.owner, attested]).to.deep.equal([false, acme, []]);
    }
  });

  it('is another owner or another key, and keeps what it does not name', async () => {
    const { scope, attested } = create({ manifest_key: key('A') });
    const change = async (body: object) => (await grant({ namespace: 'acme', ...body }, by, scope)).namespace;
    expect(await change({ manifest_key: key('B') })).to.deep.include({ owner: acme, manifest_key: key('B') });
    expect(await change({ owner: { tenant: 'acme' } })).to.deep.include({
      ...{ owner: { tenant: 'acme' }, manifest_key: key('B'), state: 'granted', receipt_id: 'rec_2' },
    });
    expect(await change({ owner: { tenant: 'third' } })).to.deep.include({ owner: { tenant: 'third' } });
    expect(await change({ owner: { principal: 'prn_2' } })).to.deep.include({
      owner: { tenant: 'other', principal: 'prn_2' },
    });
    expect(await change({ manifest_key: null })).not.to.have.property('manifest_key');
    expect(attested.map(({ tenant }) => tenant)).to.deep.equal(['acme', 'acme', 'third', 'other', 'other']);
    expect(attested[4]?.facts).to.deep.equal({
      ...{ change: 'granted', owner: { tenant: 'other', principal: 'prn_2' }, principal: 'prn_1' },
    });
  });

  it('of a new one makes the caller its owner, unless another is named', async () => {
    const { scope } = create();
    const { created, namespace } = await grant({ namespace: 'acme' }, by, scope);
    expect([created, namespace.owner]).to.deep.equal([true, acme]);
    expect(scope.reputation.namespace('acme')?.state, 'the ledger knows it').to.equal('granted');
    const owner = { tenant: 'third' };
    expect((await grant({ namespace: 'third', owner }, by, scope)).namespace.owner).to.deep.equal(owner);
  });

  it('grants a revoked one again, with nothing of what it was', async () => {
    const { scope } = create({ state: 'revoked', owner: { tenant: 'other' }, manifest_key: key('A') });
    const { created, namespace } = await grant({ namespace: 'acme' }, by, scope);
    expect([created, namespace.owner]).to.deep.equal([true, acme]);
    expect(namespace).not.to.have.property('manifest_key');
  });

  it('names a principal that is there, of the tenant that is named', async () => {
    const { scope, attested } = create();
    const asked = (owner: object) => refusal(grant({ namespace: 'acme', owner }, by, scope));
    expect(await asked({ principal: 'prn_9' })).to.equal('principal_not_found');
    expect(await asked({ principal: 'prn_2', tenant: 'acme' })).to.equal('principal_not_found');
    expect(attested).to.deep.equal([]);
    expect(await asked({ principal: 'prn_2', tenant: 'other' })).to.equal('done');
  });

  it('revokes what was granted right before it, once', async () => {
    const { scope, attested } = create({ manifest_key: key('A') });
    expect((await revoke('acme', 'gone', by, scope)).state).to.equal('revoked');
    expect(attested.map(({ facts }) => facts)).to.deep.equal([
      { change: 'revoked', owner: acme, manifest_key: key('A'), reason: 'gone', principal: 'prn_1' },
    ]);
    expect(await refusal(revoke('acme', 'gone', by, scope))).to.equal('namespace_not_found');
    expect(await refusal(revoke('other', 'gone', by, scope))).to.equal('namespace_not_found');
  });
});

describe('the namespaces of the shipped Orbs', () => {
  it('are granted to the first principal, but those that were granted or revoked before', async () => {
    const [first, second, ...rest] = shippedNamespaces;
    const { scope, attested, told } = create({ namespace: first ?? '' }, { namespace: second ?? '', state: 'revoked' });
    await grantShipped(scope);
    expect(attested.map(({ namespace, facts }) => [namespace, facts])).to.deep.equal(
      rest.map((name) => [name, { change: 'granted', owner: acme }]),
    );
    expect(told).to.have.length(rest.length);
  });

  it('wait for the first principal', async () => {
    const { scope, attested } = create();
    await grantShipped({ ...scope, principals: { ...scope.principals, first: () => undefined } });
    expect(attested).to.deep.equal([]);
  });
});
