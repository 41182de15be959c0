import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { shippedProgram } from '../../helpers/program.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';

const pem = (name: string): string =>
  fileURLToPath(new URL(`../../helpers/tls/test-only.${name}.pem`, import.meta.url));

describe('a command whose server has a certificate of its own', () => {
  let home: string;
  let platform: TestPlatform;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'orb-ca-'));
    const tls = { cert: { $file: pem('cert') }, key: { $file: pem('key') } };
    const listen = [{ address: '127.0.0.1:0', tls }];
    platform = await startPlatform({ home, platform: { listen, providers: { echo: { adapter: 'echo/local' } } } });
  });
  after(async () => {
    await platform.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function orb(...words: readonly string[]) {
    const env = { ORB_URL: platform.url, ORB_KEY: platform.adminKey };
    const child = spawn(process.execPath, [shippedProgram, ...words], { cwd: home, env });
    const status = new Promise((resolve) => child.once('exit', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { status: await status, stdout, stderr };
  }

  it('says how to trust it', async () => {
    const { status, stderr } = await orb('orbs', 'list');
    expect(status).to.equal(69);
    expect(stderr).to.match(/^orb: .* certificate .*--ca FILE.*\n$/);
  });

  it('trusts the CA that --ca names, before or after its words', async () => {
    for (const words of [
      ['orbs', 'list', '--ca', pem('cert')],
      ['--ca', pem('cert'), 'orbs', 'list'],
    ]) {
      const { status, stdout, stderr } = await orb(...words);
      expect([status, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.include('demo.echo@1.0.0');
    }
  });

  it('says so when the CA cannot be read, or is none', async () => {
    for (const file of ['nowhere.pem', pem('key')]) {
      const { status, stderr } = await orb('orbs', 'list', '--ca', file);
      expect(status).to.equal(1);
      expect(stderr).to.match(/^orb: --ca .*pem: .+\n$/);
    }
  });
});
