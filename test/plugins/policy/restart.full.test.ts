import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../helpers/platform.ts';
import { compilerOrSkip } from './compiler.ts';
import { startPolicyHome, type PolicyHome } from './home.ts';
import { inForce, sayASecret, source } from './no-secrets.ts';

describe('what is in force, after a restart', () => {
  let home: PolicyHome;
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    home.platform.call(method, path, body);
  const file = (name: string): string => join(home.folder, name);

  before(async function () {
    compilerOrSkip(this);
    home = await startPolicyHome();
  });
  after(() => home?.platform.stop());

  it('comes back with the revision that was in force, without a compiler run', async () => {
    home.write('no_secrets.rego', source);
    await home.until('in force', ({ policies }) => policies === 4);
    const revision = await inForce(home);
    await home.platform.stop({ keep: true });
    home = await startPolicyHome({}, { home: home.platform.home });
    const { body } = await call('GET', '/policies/-/status');
    expect(body).to.include({ revision, compiler_running: false, health: 'operational' });
    expect(await sayASecret(home)).to.equal(403);
  });

  it('comes back with the last good revision when the folder was broken meanwhile', async () => {
    const revision = await inForce(home);
    await home.platform.stop({ keep: true });
    home = await startPolicyHome({ 'broken.rego': 'package' }, { home: home.platform.home });
    const { body } = await call('GET', '/policies/-/status');
    expect(body).to.include({ revision, health: 'degraded_performance' });
    expect(body.rejected.diagnostics[0]).to.include({ file: 'broken.rego' });
    expect(await sayASecret(home)).to.equal(403);
    rmSync(file('broken.rego'));
    await home.until('recovered', ({ health }) => health === 'operational');
  });
});
