import { generateKeyPairSync } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../../../kernel/index.ts';
import { shippedProgram } from '../../../helpers/program.ts';
import { manifestKeyOf, signManifest } from '../../../../plugins/marketplace/publish/manifest-signature.ts';
import { startPlatform, type PlatformOptions, type TestPlatform } from '../../../helpers/platform.ts';
import { storeVariables } from '../../../helpers/store-engine.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';

const orb = 'team.send_it@1.0.0';
const orbiset = { id: 'own', tenant: 'default', orbs: ['*'] };

describe('manifests of files beside those put over the API', () => {
  let platform: TestPlatform;
  const { adapter } = createRecorder();
  const options: PlatformOptions = {
    platform: { providers: { a: { adapter: 'record/local', config: { name: 'a' } } } },
    adapters: [adapter],
  };
  const manifest = recordOrb({ orb_id: orb });
  beforeEach(async () => {
    platform = await startPlatform(options);
    expect((await platform.call('PUT', `/orbs/${orb}`, manifest)).status).to.equal(201);
    expect((await platform.call('POST', '/orbisets', orbiset)).status).to.equal(201);
  });
  afterEach(() => platform.stop());

  const write = (name: string, content: unknown): void => {
    const path = join(platform.home, 'data', name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, JSON.stringify(content));
  };
  async function restart(): Promise<void> {
    const { home } = platform;
    await platform.stop({ keep: true });
    platform = await startPlatform({ ...options, home });
  }
  const check = () =>
    spawnSync(process.execPath, [shippedProgram, 'config', 'check'], {
      env: { PATH: process.env['PATH'], ORB_HOME: platform.home, ...storeVariables(platform.home) },
      encoding: 'utf8',
    });

  it('a file that says otherwise under the same id stops the start, the check and a reload, each by its name', async () => {
    // Without the adapter of the test, which the command does not know.
    write('platform.json', {});
    write(`orbs/${orb}.json`, recordOrb({ orb_id: orb, title: 'Another' }));
    write('orbisets/own.json', { ...orbiset, orbs: [] });
    const reload = await platform.call('POST', '/config/reload');
    expect([reload.status, reload.body.code]).to.deep.equal([422, 'invalid_configuration']);
    expect(reload.body.errors.map(({ detail }: { detail: string }) => detail.split(':')[0])).to.deep.equal([
      `orbs/${orb}.json`,
      'orbisets/own.json',
    ]);
    const checked = check();
    expect([checked.status, checked.stderr]).to.satisfy(
      ([status, text]: [number, string]) =>
        status === 78 && text.includes(`orbs/${orb}.json`) && text.includes('own.json'),
    );
    const error = await restart().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ConfigError);
    expect((error as ConfigError).faults).to.have.length(2);
    for (const name of [`orbs/${orb}.json`, 'orbisets/own.json']) rmSync(join(platform.home, 'data', name));
    platform = await startPlatform({ ...options, home: platform.home });
    write('platform.json', {});
    expect(check().status).to.equal(0);
  });

  it('a file that says the same takes the id over, and keeps it to itself', async () => {
    write(`orbs/${orb}.json`, manifest);
    write('orbisets/own.json', orbiset);
    await restart();
    for (const path of [`/orbs/${orb}`, '/orbisets/own']) {
      expect((await platform.call('GET', path)).body.source).to.equal('file');
      expect((await platform.call('DELETE', path)).body.code).to.equal('defined_in_file');
    }
    rmSync(join(platform.home, `data/orbs/${orb}.json`));
    rmSync(join(platform.home, 'data/orbisets/own.json'));
    await restart();
    for (const path of [`/orbs/${orb}`, '/orbisets/own'])
      expect((await platform.call('GET', path)).status).to.equal(404);
    const other = await platform.key({ scopes: ['orbisets:manage'], tenant: 'other' });
    expect((await platform.call('POST', '/orbisets', { id: 'own', orbs: [] }, other)).body.code).to.equal(
      'orbiset_exists',
    );
  });

  it('a manifest that replaces another is not taken as signed because the other was', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    await platform.call('POST', '/namespaces', { namespace: 'team', manifest_key: manifestKeyOf(privateKey) });
    write(`orbs/${orb}.sig`, signManifest(manifest as never, privateKey));
    await restart();
    const signed = async (): Promise<unknown> =>
      (await platform.call('GET', `/reputation/${orb}/manifest?format=signed`)).body.signed;
    expect(await signed()).to.equal(true);
    await platform.call('PUT', `/orbs/${orb}`, recordOrb({ orb_id: orb, title: 'Another' }));
    expect(await signed()).to.equal(false);
  });
});
