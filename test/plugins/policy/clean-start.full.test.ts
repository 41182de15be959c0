import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageDir } from '../../helpers/folder.ts';
import { need } from '../../helpers/needs.ts';

const forbidding = `package orb.policies.no_secrets

deny contains "no secrets" if {
	input.action.name == "execute"
	contains(input.context.inputs.text, "secret")
}
`;
// What a clone does not have, and what this test has no use for.
const left = /^(node_modules|dist|\.git|test|data\/state)(\/|$)/;

describe('a clean copy of the tree with Go on PATH', () => {
  let home: string;
  let server: ChildProcess | undefined;
  before(function () {
    need(this, 'go');
    home = mkdtempSync(join(tmpdir(), 'orb-clean-'));
    cpSync(packageDir, home, { recursive: true, filter: (from) => !left.test(relative(packageDir, from)) });
    symlinkSync(join(packageDir, 'node_modules'), join(home, 'node_modules'));
  });
  after(async () => {
    if (server?.pid !== undefined && server.exitCode === null) {
      const ended = new Promise((resolve) => server?.once('exit', resolve));
      process.kill(-server.pid, 'SIGTERM');
      await ended;
    }
    if (home !== undefined) rmSync(home, { recursive: true, force: true });
  });

  it('npm start alone leads to a working compiler, and a folder that waited for it comes into force', async function () {
    // A build without a cache takes minutes.
    this.timeout(900_000);
    writeFileSync(join(home, 'policies/no_secrets.rego'), forbidding);
    const env = { ...process.env, ORB_HOME: home, ORB_LISTEN: '127.0.0.1:0', ORB_LOG_LEVEL: 'error' };
    server = spawn('npm', ['start'], { cwd: home, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await listening(server);
    const key = readFileSync(join(home, 'data/state/admin.key'), 'utf8').trim();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const status = async (): Promise<Record<string, unknown>> =>
      (await (await fetch(`${url}/policies/-/status`, { headers })).json()) as Record<string, unknown>;
    const body = JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'a secret' } });
    const run = async (): Promise<number> =>
      (await fetch(`${url}/orbisets/default/execute`, { method: 'POST', headers, body })).status;

    const before = await status();
    expect(before['compiler']).to.be.oneOf(['precompiled', 'building']);
    expect(JSON.stringify(before['rejected'])).to.contain('policy_compiler_unavailable');
    expect(await run()).to.equal(200);
    for (let now = before; now['health'] !== 'operational'; now = await status()) await delay(250);
    expect(await status()).to.include({ compiler: 'wasm', policies: 4, rejected: null });
    expect(await run()).to.equal(403);
  });
});

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const url = /Serving on (\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}`)));
  });
}
