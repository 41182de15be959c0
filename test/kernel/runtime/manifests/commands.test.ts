import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createClient } from '../../../../kernel/cli/command/client.ts';
import { manifestCommands } from '../../../../kernel/runtime/manifests/commands.ts';
import type { CommandCall } from '../../../../kernel/index.ts';
import { runCommand, type Said } from '../../../helpers/command.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';

const orb = 'team.say_it@1.0.0';

describe('orb orbs and orb orbisets', () => {
  let platform: TestPlatform;
  let folder: string;
  before(async () => {
    platform = await startPlatform();
    folder = mkdtempSync(join(tmpdir(), 'orb-manifests-'));
  });
  after(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const file = (content: object): string => {
    const path = join(folder, 'manifest.json');
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const run = (path: string, args: string[] = [], options: CommandCall['options'] = {}): Promise<Said<never>> => {
    const command = manifestCommands.find((each) => each.path === path) ?? expect.fail(path);
    const env = { ORB_URL: platform.url, ORB_KEY: platform.adminKey };
    return runCommand(command, platform.stateDir, args, {
      options,
      client: () => createClient(env, platform.stateDir),
    });
  };
  const failure = (said: Promise<unknown>): Promise<unknown> =>
    said.then(
      () => expect.fail('it should have failed'),
      (error: Error & { problem?: { code?: unknown } }) => error.problem?.code ?? error.message,
    );

  it('put an Orb into service, show and list it, and take it out', async () => {
    const { manifest } = (await platform.call('GET', '/orbs/demo.echo@1.0.0')).body;
    const put = await run('orbs put', [file({ ...manifest, orb_id: orb })]);
    expect(put.text).to.match(/^team\.say_it@1\.0\.0 is available, sha256:[0-9a-f]{64}$/);
    expect((await run('orbs list')).text).to.match(/^team\.say_it@1\.0\.0 +none +api +Echo$/m);
    expect((await run('orbs list')).text).to.match(/^demo\.echo@1\.0\.0 +none +file +Echo$/m);
    expect((await run('orbs show', [orb])).text).to.include('"source": "api"');
    expect(await failure(run('orbs delete', [orb], { ifMatch: 'sha256:0' }))).to.equal('precondition_failed');
    expect((await run('orbs delete', [orb])).text).to.equal(`${orb} was deleted`);
    expect(await failure(run('orbs delete', [orb]))).to.equal('orb_not_found');
  });

  it('make, replace, show, list and remove an Orbiset', async () => {
    const digest = /sha256:[0-9a-f]{64}/;
    const made = digest.exec((await run('orbisets put', [file({ id: 'own', orbs: ['demo.*'] })])).text)?.[0] ?? '';
    await run('orbisets put', [file({ id: 'own', orbs: ['*'] })], { ifMatch: made });
    const again = run('orbisets put', [file({ id: 'own', orbs: [] })], { ifMatch: made });
    expect(await failure(again)).to.equal('precondition_failed');
    const absent = run('orbisets put', [file({ id: 'new', orbs: [] })], { ifMatch: made });
    expect(await failure(absent)).to.equal('orbiset_not_found');
    expect((await run('orbisets list')).text).to.match(/^own +default +api +\*$/m);
    expect((await run('orbisets show', ['own'])).text).to.include('"id": "own"');
    expect((await run('orbisets delete', ['own'])).text).to.equal('own was deleted');
    expect(await failure(run('orbisets show', ['own']))).to.equal('orbiset_not_found');
  });

  it('say what a file lacks', async () => {
    expect(await failure(run('orbs put', [file({ title: 'x' })]))).to.include('orb_id');
    expect(await failure(run('orbisets put', [file([])]))).to.include('id');
  });
});
