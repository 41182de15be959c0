import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkoutProgram } from '../../helpers/program.ts';

describe('orb serve --listen ADDRESS --home FOLDER', function () {
  this.timeout(60_000);
  let folder: string;
  let server: ChildProcess | undefined;
  before(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), 'orb-options-')))));
  after(() => {
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  // The flags have priority over these.
  const env = { PATH: process.env['PATH'] ?? '', ORB_HOME: 'other', ORB_LISTEN: 'no address', ORB_LOG_LEVEL: 'error' };
  const orb = (...args: readonly string[]) => {
    const options = { cwd: folder, env: { ...env, ORB_LISTEN: '127.0.0.1:1' }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [checkoutProgram, ...args], options);
    return { status, text: stdout + stderr };
  };

  it('serves the home that orb init made there, and commands with the same --home find its key', async () => {
    expect(orb('init', 'shop').text).to.include('orb serve --home shop');
    const words = [checkoutProgram, 'serve', '--listen', '127.0.0.1:0', '--home', 'shop', '--json'];
    server = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const banner = await printed(server);
    expect(banner).to.include({ home: join(folder, 'shop'), state_dir: join(folder, 'shop/data/state') });
    const { listeners } = banner as { listeners: { url: string }[] };
    Object.assign(env, { ORB_URL: listeners[0]?.url });
    const run = orb('run', 'demo.echo@1.0.0', '{"text":"hi"}', '--home', 'shop');
    expect([run.status, /completed in/.test(run.text)], run.text).to.deep.equal([0, true]);
    // It reads the address of the flag again.
    const reloaded = orb('--home', 'shop', 'config', 'reload', '--json');
    expect(JSON.parse(reloaded.text)).to.deep.include({ restart_required: [] });
    expect(existsSync(join(folder, 'other'))).to.equal(false);
  });

  it('prints an address that can be called when it listens on all addresses', async () => {
    for (const address of ['0.0.0.0:0', '[::]:0']) {
      const words = [checkoutProgram, 'serve', '--listen', address, '--home', `all-${address.length}`];
      const all = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        const banner = await read(all, (out) => / -d '.*'\n/.test(out));
        const [, url = ''] = /^Serving on (http:\/\/localhost:\d+)$/m.exec(banner) ?? [];
        expect((await fetch(`${url}/health`)).status, banner).to.equal(200);
        expect(banner).to.include(`curl -sS ${url}/orbisets`);
      } finally {
        all.kill('SIGKILL');
      }
    }
  });

  it('refuses another address than the listeners of platform.json, which may have TLS', () => {
    writeFileSync(join(folder, 'shop/data/platform.json'), '{ "listen": [{ "address": "127.0.0.1:8443" }] }');
    const { status, text } = orb('serve', '--home', 'shop', '--listen', '127.0.0.1:9000');
    expect([status, text]).to.deep.equal([
      78,
      'orb: the configuration has 1 fault(s):\n  --listen 127.0.0.1:9000: platform.json/listen sets other listeners; change them there\n',
    ]);
  });

  it('names an address that is none', () => {
    const { status, text } = orb('serve', '--home', 'fresh', '--listen', '8080');
    expect([status, text.split('\n')[1]]).to.deep.equal([78, '  ORB_LISTEN/address: must be host:port or [v6]:port']);
  });
});

async function printed(child: ChildProcess): Promise<object> {
  return JSON.parse(await read(child, (out) => out.endsWith('}\n'))) as object;
}

function read(child: ChildProcess, whole: (out: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (whole(out)) resolve(out);
    });
    child.once('exit', (code) => reject(new Error(`orb serve ended with ${code}: ${out}`)));
  });
}
