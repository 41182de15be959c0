import { expect } from 'chai';
import { definePlugin } from '../../../kernel/index.ts';
import { principals, type Principals } from '../../../plugins/api-keys/contract.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

describe('a caller of the platform for one purpose', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let found: Principals;
  before(async () => {
    const probe = definePlugin({
      name: 'probe',
      requires: { principals },
      start({ services }) {
        found = services.principals;
        return {};
      },
    });
    platform = await startPlatform({ plugins: [probe] });
  });
  after(() => platform.stop());

  const own = (scopes: readonly string[], tenant = 'default') => found.own(tenant, { name: 'purpose', scopes });

  it('is the same as long as its scopes are the same', async () => {
    const first = await own(['orbs:execute:a.b@1.0.0']);
    expect(first).to.include({ tenant: 'default', mode: 'live' });
    expect(first.scopes).to.deep.equal(['orbs:execute:a.b@1.0.0']);
    expect(await own(['orbs:execute:a.b@1.0.0'])).to.equal(first);
    const { body } = await platform.call('GET', '/keys');
    const shown = body.keys.find(({ key_id }: { key_id: string }) => key_id === first.key_id);
    expect(shown).to.include({ name: 'purpose', principal_name: 'purpose' }).and.not.to.have.property('created_by');
  });

  it('gets another key for the same principal when its scopes change, or its key was revoked', async () => {
    const before = await own(['orbs:execute:a.b@1.0.0']);
    const changed = await own(['orbs:execute:c.d@1.0.0']);
    expect([changed.id, changed.key_id === before.key_id]).to.deep.equal([before.id, false]);
    expect((await platform.call('DELETE', `/keys/${changed.key_id}`)).status).to.equal(204);
    const again = await own(['orbs:execute:c.d@1.0.0']);
    expect([again.id, again.key_id === changed.key_id]).to.deep.equal([before.id, false]);
  });

  it('is another one in another tenant, than `platform`, and than the key that somebody creates under its name', async () => {
    const here = await own(['orbs:execute:a.b@1.0.0']);
    const theirs = await own(['orbs:execute:a.b@1.0.0'], 'acme');
    const { id } = await found.platform('default');
    await platform.call('POST', '/keys', { name: 'purpose', scopes: ['orbs:read'] });
    expect(new Set([here.id, theirs.id, id]).size).to.equal(3);
    expect(await own(['orbs:execute:a.b@1.0.0'])).to.equal(here);
  });
});
