import { expect } from 'chai';
import { program } from '../../../../kernel/index.ts';
import { shippedNamespaces } from '../../../../plugins/marketplace/namespaces/namespaces.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';

describe('namespaces', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  const key = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) };
  const granting = (body: object, as?: string): Promise<Answer> => platform.call('POST', '/namespaces', body, as);
  const list = async (): Promise<Map<string, Answer['body']>> => {
    const { body } = await platform.call('GET', '/namespaces');
    return new Map(body.namespaces.map((row: { namespace: string }) => [row.namespace, row]));
  };
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  it('of the shipped Orbs are known by name', () => {
    const files = [...program.shipped('data').keys()].filter((path) => path.startsWith('orbs/'));
    const found = files.map((path) => path.replace(/^orbs\/(.*)\.[^.]+@.*$/, '$1'));
    expect([...new Set(found)].sort()).to.deep.equal([...shippedNamespaces].sort());
  });

  it('of the shipped Orbs belong to the first admin from the first start on, attested, and are granted once', async () => {
    const me = (await platform.call('GET', '/keys')).body.keys[0];
    const before = await list();
    for (const name of shippedNamespaces) {
      expect(before.get(name)).to.deep.include({
        state: 'granted',
        owner: { tenant: 'default', principal: me.principal },
      });
      const { body } = await platform.call('GET', `/receipts/${before.get(name).receipt_id}`);
      expect(body.statement.predicate).to.include({ namespace: name, tenant: 'default' });
    }
    await platform.call('DELETE', '/namespaces/http');
    await platform.stop({ keep: true });
    platform = await startPlatform({ home: platform.home });
    const after = await list();
    expect(after.get('demo').receipt_id).to.equal(before.get('demo').receipt_id);
    expect(after.get('http').state).to.equal('revoked');
  });

  it('are granted by the operator; granting the same again changes nothing', async () => {
    const first = await granting({ namespace: 'acme.mail', owner: { tenant: 'acme' }, manifest_key: key });
    expect(first.status).to.equal(201);
    expect(first.body).to.deep.include({ namespace: 'acme.mail', state: 'granted', owner: { tenant: 'acme' } });
    const again = await granting({ namespace: 'acme.mail' });
    expect([again.status, again.body]).to.deep.equal([200, first.body]);
  });

  it('keep owner and key unless they are named, and lose the key by null', async () => {
    const other = { ...key, x: `${'B'.repeat(42)}A` };
    expect((await granting({ namespace: 'acme.mail', manifest_key: other })).body).to.deep.include({
      owner: { tenant: 'acme' },
      manifest_key: other,
    });
    expect((await granting({ namespace: 'acme.mail', owner: { tenant: 'other' } })).body.manifest_key).to.deep.equal(
      other,
    );
    expect((await granting({ namespace: 'acme.mail', manifest_key: null })).body).not.to.have.property('manifest_key');
  });

  it('are owned by a principal of the tenant that is named, or none', async () => {
    const made = (await platform.call('POST', '/keys', { scopes: ['orbs:execute'], tenant: 'acme' })).body;
    const owned = await granting({ namespace: 'acme.own', owner: { principal: made.principal } });
    expect(owned.body.owner).to.deep.equal({ tenant: 'acme', principal: made.principal });
    const wrong = await granting({ namespace: 'acme.own', owner: { principal: made.principal, tenant: 'default' } });
    expect([wrong.status, wrong.body.code]).to.deep.equal([404, 'principal_not_found']);
  });

  it('are revoked with a reason, and can be granted again', async () => {
    const revoked = await platform.call('DELETE', '/namespaces/acme.own?reason=gone');
    expect([revoked.status, revoked.body.state, revoked.body.reason]).to.deep.equal([200, 'revoked', 'gone']);
    expect((await platform.call('DELETE', '/namespaces/acme.own')).body.code).to.equal('namespace_not_found');
    expect((await granting({ namespace: 'acme.own', owner: { tenant: 'acme' } })).status).to.equal(201);
  });

  it('need the scope namespaces:manage, which only * grants', async () => {
    const weak = await platform.key({ scopes: ['marketplace:publish'] });
    expect((await granting({ namespace: 'x.y' }, weak)).body.code).to.equal('insufficient_scope');
    const clerk = await platform.key({ scopes: ['namespaces:manage'] });
    expect((await granting({ namespace: 'x.y' }, clerk)).status).to.equal(201);
    const manager = await platform.key({ scopes: ['keys:manage', 'marketplace:publish'] });
    const asked = await platform.call('POST', '/keys', { scopes: ['namespaces:manage'] }, manager);
    expect(asked.body.code).to.equal('insufficient_scope');
  });

  it('have names and keys of the right shape', async () => {
    for (const body of [
      { namespace: 'Acme' },
      { namespace: 'acme.' },
      { namespace: 'a', manifest_key: { ...key, x: 'A'.repeat(42) } },
      { namespace: 'a', manifest_key: { ...key, x: `${'A'.repeat(42)}B` } },
      { namespace: 'a', owner: {} },
      { namespace: 'a', owner: { tenant: 'A b' } },
    ])
      expect((await granting(body)).body.code, JSON.stringify(body)).to.equal('invalid_body');
  });
});
