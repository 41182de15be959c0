import { spawn } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { shippedProgram } from '../../../helpers/program.ts';
import { checkStore } from '../../../../plugins/operate/doctor/store.ts';
import { onPostgres } from '../../../helpers/store-engine.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly remedy?: string;
}

const smtp = (host: string, more: object = {}): object => ({
  adapter: 'email/smtp',
  config: { host, port: 25, starttls: 'never', ...more },
});
const providers = {
  near: smtp('127.0.0.1'),
  six: smtp('::1'),
  far: smtp('mail.example'),
  tls: smtp('mail.example', { secure: true }),
  web: { adapter: 'http/client', config: { allow: [{ host: 'api.example', plain: true }, { host: 'ok.example' }] } },
};

describe('what doctor and the metrics warn of', function () {
  this.timeout(120_000);
  let home: string;
  let platform: TestPlatform;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'orb-warned-'));
    platform = await startPlatform({ home, platform: { providers } });
  });
  after(async () => {
    await platform.stop();
    rmSync(home, { recursive: true, force: true });
  });

  // Not synchronous: the server and the proxy run in this process.
  async function orb(
    url: string,
    ...words: readonly string[]
  ): Promise<{ readonly code: unknown; readonly out: string }> {
    const env = { PATH: process.env['PATH'], ORB_URL: url, ORB_KEY: platform.adminKey };
    const child = spawn(process.execPath, [shippedProgram, ...words], { cwd: home, env });
    const code = new Promise((resolve) => child.once('exit', resolve));
    const out = await text(child.stdout);
    return { code: await code, out };
  }
  const findings = async (url = platform.url): Promise<readonly Finding[]> =>
    (JSON.parse((await orb(url, 'doctor', '--json')).out) as { readonly findings: readonly Finding[] }).findings;

  it('is a provider that sends to another machine in the clear', async () => {
    const warned = (await findings()).filter(({ name, state }) => name === 'configuration' && state === 'warning');
    expect(warned.map(({ detail }) => detail)).to.deep.equal([
      'providers.far: starttls is never, and mail.example is another machine: mail and password are sent unencrypted; use required',
      'providers.web: allow permits calls to api.example without TLS: requests and credentials are sent unencrypted',
    ]);
    const checked = await orb(platform.url, 'config', 'check');
    expect(checked.code).to.equal(0);
    expect(checked.out).to.match(/^! providers\.far: /m);
    const metrics = String((await platform.call('GET', '/metrics')).body);
    expect(metrics).to.match(/^orb_configuration_warnings 2$/m);
    // The log of a file: a database has one of its own.
    if (!onPostgres) expect(metrics).to.match(/^orb_store_log_bytes \d+$/m);
  });

  it('is a proxy that changes the stream of events', async () => {
    const eventsOf = async (url?: string) => (await findings(url)).find(({ name }) => name === 'events');
    expect(await eventsOf()).to.include({ state: 'ok' });
    const proxy = await proxyTo(platform.url);
    try {
      const found = await eventsOf(proxy.url);
      expect(found).to.include({ state: 'warning' });
      expect(found?.detail).to.contain('removes no-transform');
      expect(found?.remedy).to.match(/compression/);
    } finally {
      proxy.server.closeAllConnections();
      proxy.server.close();
    }
  });

  it('is a log of the store that is not emptied', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'orb-wal-'));
    writeFileSync(join(stateDir, 'store.db'), '');
    const log = join(stateDir, 'store.db-wal');
    writeFileSync(log, '');
    const named = async () =>
      (await checkStore({ stateDir, store: () => ({ stateDir }) } as never)).map(({ name }) => name);
    expect(await named()).not.to.include('store log');
    truncateSync(log, 65 * 1024 * 1024);
    expect(await named()).to.include('store log');
    rmSync(stateDir, { recursive: true });
  });
});

// A proxy as many are: it passes answers on, and writes its own Cache-Control.
async function proxyTo(target: string): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((req, res) => {
    const onward = request(target + (req.url ?? ''), { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'cache-control': 'no-store' });
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    res.once('close', () => onward.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`, server };
}
