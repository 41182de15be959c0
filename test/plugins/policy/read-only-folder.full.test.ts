import { expect } from 'chai';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { compilerOrSkip } from './compiler.ts';
import { source } from './no-secrets.ts';

describe('a folder that takes no writes', () => {
  let platform: TestPlatform;
  before(async function () {
    compilerOrSkip(this);
    platform = await startPlatform();
    // Root may write into any folder, so this one cannot be made: its place is taken by a link into nothing.
    symlinkSync(join(platform.home, 'nowhere', 'at', 'all'), join(platform.home, 'policies'));
  });
  after(() => platform?.stop());

  it('refuses a change with 409 policies_read_only, and everything is as it was', async () => {
    const status = async () => (await platform.call('GET', '/policies/-/status')).body;
    const before = await status();
    expect((await platform.call('PUT', '/policies/no_secrets', { source })).status).to.equal(201);
    const { status: code, body } = await platform.call('POST', '/policies/-/activate', {});
    expect([code, body.code]).to.deep.equal([409, 'policies_read_only']);
    expect((await status()).revision).to.equal(before.revision);
    expect((await platform.call('GET', '/policies/no_secrets')).body).to.include({ active: false, draft: true });
    const asked = { orb_id: 'demo.echo@1.0.0', inputs: { text: 'a secret' } };
    expect((await platform.call('POST', '/orbisets/default/execute', asked)).status).to.equal(200);
    await platform.stop({ keep: true });
    platform = await startPlatform({ home: platform.home });
    expect((await status()).revision).to.equal(before.revision);
  });
});
