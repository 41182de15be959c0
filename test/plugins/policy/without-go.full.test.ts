import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { waysOut } from '../../../plugins/policy/toolchain/source.ts';
import { packageDir } from '../../helpers/folder.ts';
import { until } from '../../helpers/until.ts';
import { reportOf } from '../../runner/report.ts';

// What a clone does not have, and what this test has no use for.
const left = /^(node_modules|dist|\.git|test|data\/state)(\/|$)/;

describe('a clean copy of the tree without Go', function () {
  this.timeout(120_000);
  let home: string;
  let bin: string;
  let server: ChildProcess;
  let url = '';
  let log = '';
  const env = (): Record<string, string> => ({ PATH: bin, ORB_HOME: home, ORB_LISTEN: '127.0.0.1:0', ORB_URL: url });
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'orb-without-go-'));
    cpSync(packageDir, home, { recursive: true, filter: (from) => !left.test(relative(packageDir, from)) });
    symlinkSync(join(packageDir, 'node_modules'), join(home, 'node_modules'));
    bin = join(home, 'no-programs');
    writeFileSync(join(home, 'policies/mine.rego'), 'package orb.policies.mine\n\ndeny contains "no" if false\n');
    const words = [join(home, 'kernel/orb.js'), 'serve', '--json'];
    server = spawn(process.execPath, words, { cwd: home, env: env(), stdio: ['ignore', 'pipe', 'pipe'] });
    server.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    let out = '';
    server.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
    url = await until(
      () => /"url": "([^"]+)"/.exec(out)?.[1] ?? '',
      (found) => found !== '',
      'the server',
    );
  });
  after(() => {
    server?.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });

  it('says at the start in one line how to get it', async () => {
    const lines = (): readonly string[] => log.split('\n').filter((line) => line.includes(waysOut));
    await until(lines, ({ length }) => length > 0, 'the line');
    expect(lines()).to.have.length(1);
    expect(waysOut).to.match(/install Go 1\.26 from go\.dev/);
    const mod = readFileSync(join(packageDir, 'plugins/policy/compiler/go.mod'), 'utf8');
    expect(mod).to.match(/^go 1\.26/m);
  });

  for (const command of ['check', 'test', 'fmt'])
    it(`says so at orb policy ${command}`, () => {
      const { status, stderr } = spawnSync(process.execPath, [join(home, 'kernel/orb.js'), 'policy', command], {
        ...{ cwd: home, env: env(), encoding: 'utf8' },
      });
      expect(status, stderr).to.equal(1);
      expect(
        stderr
          .trimEnd()
          .split('\n')
          .filter((line) => line.includes(waysOut)),
      ).to.have.length(1);
    });

  it('says so at the end of npm test, when tests were left out', () => {
    const lines = reportOf({ passed: 1, failures: [], pending: ['a policy'] }, { costs: [], missing: ['go'] });
    expect(lines.filter((line) => line.includes('Go 1.26') && line.includes('go.dev'))).to.have.length(1);
  });
});
