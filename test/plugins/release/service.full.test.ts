import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { releaseOf } from '../../../plugins/release/build/release.ts';
import { packageDir } from '../../helpers/folder.ts';
import { freePort } from '../../helpers/free-port.ts';
import { guideBlocks } from '../../helpers/guide.ts';
import { send } from '../../helpers/http.ts';
import { need } from '../../helpers/needs.ts';
import { pagesFolder } from '../../helpers/pages.ts';
import { startPostgres, type PostgresServer } from '../../helpers/postgres.ts';
import { startRelay, type Relay } from '../../helpers/relay.ts';
import { until } from '../../helpers/until.ts';
import { build } from './built.ts';
import { expectFirstReceipt, sendMail } from './first-receipt.ts';
import { Machine } from './machine.ts';
import { adminKey, home, type Ended } from './room.ts';

const state = 'var/lib/private/orb';
const [dropIn = '', toSeveral = ''] = guideBlocks(`${pagesFolder}/operate/production.md`)
  .filter(({ heading }) => heading === 'systemd')
  .map(({ code }) => code);

const documents = '/home/documents';

// What a program of mcp/stdio can do in the limits of the unit; it speaks no MCP.
const tool = `{ head -n 1 /proc/meminfo; cat ${documents}/note; touch /var/cache/orb/file && echo cached; } > ${home}/seen 2>&1`;

describe('the deb on a machine that systemd runs', function () {
  this.timeout(300_000);
  const release = releaseOf(packageDir);
  const deb = `agent-orb-platform_${release.version}_amd64.deb`;
  let dir: string;
  let machine: Machine;
  before(async function () {
    need(this, 'go', 'rooms', 'mmdebstrap', 'systemd', 'postgresql');
    build(this, 'executables', 'notice', 'packages');
    dir = mkdtempSync('/var/tmp/orb-service-');
    chmodSync(dir, 0o755);
    machine = new Machine(join(dir, 'root'));
    await machine.start();
    copyFileSync(join(release.folder, deb), join(machine.root, deb));
    expectDone(machine.run('dpkg', '--install', `/${deb}`));
  });
  after(() => {
    machine?.remove();
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  });

  describe('orb.service', () => {
    let url: string;
    const server = () => ({ url, key: adminKey(join(machine.root, state)), stop: () => Promise.resolve(0) });
    const installed = () => ({
      homeFolder: join(machine.root, state),
      orb: (...words: readonly string[]) => machine.run('env', `ORB_URL=${url}`, 'orb', ...words, '--home', home),
    });
    before(async () => {
      const address = `127.0.0.1:${await freePort()}`;
      url = `http://${address}`;
      machine.write('etc/orb.env', `ORB_LISTEN=${address}\n`, 0o600);
    });

    it('is not running before an operator starts it', () => {
      expect(machine.show('orb.service', 'ActiveState')).to.equal('inactive');
    });

    it("starts in its limits: a policy of one's own is in force, and the first receipt is verified", async () => {
      expectDone(machine.run('systemctl', 'enable', '--now', 'orb'));
      const status = machine.run('cat', `/proc/${machine.show('orb.service', 'MainPID')}/status`).stdout;
      expect(status)
        .to.match(/^NoNewPrivs:\t1$/m)
        .and.match(/^Seccomp:\t2$/m)
        .and.match(/^CapEff:\t0+$/m);
      expect(status).not.to.match(/^Uid:\t0\t/m);
      await expectFirstReceipt(installed(), server());
      expect(installed().orb('doctor')).to.include({ status: 0 });
    });

    it('drains when it is stopped', () => {
      expectDone(machine.run('systemctl', 'stop', 'orb'));
      expect(machine.show('orb.service', 'Result')).to.equal('success');
      expect(machine.show('orb.service', 'ExecMainStatus')).to.equal('0');
    });

    for (const [loose, seen] of [
      [false, /^head: .*\/proc\/meminfo.*\ncat: .*\/home.*\ntouch: .*\n$/],
      [true, /^MemTotal: .*\nnote\ncached\n$/],
    ] as const)
      it(`${loose ? 'lets' : 'does not let'} a program of mcp/stdio at the rest of the machine with${loose ? '' : 'out'} the drop-in`, async () => {
        machine.write(`${documents}/note`, 'note\n');
        const echo = { adapter: 'echo/local' };
        const config = { command: '/bin/sh', args: ['-c', tool] };
        machine.write(
          'etc/orb/platform.json',
          JSON.stringify({ providers: { echo, tool: { adapter: 'mcp/stdio', config } } }),
        );
        if (loose) machine.write('etc/systemd/system/orb.service.d/override.conf', dropIn);
        rmSync(join(machine.root, state, 'seen'), { force: true });
        expectDone(machine.run('systemctl', 'daemon-reload'));
        expectDone(machine.run('systemctl', 'restart', 'orb'));
        // It opens the provider, which speaks no MCP.
        expect(installed().orb('mcp', 'import', 'tool').status).not.to.equal(0);
        const file = join(machine.root, state, 'seen');
        const text = await until(
          () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
          (found) => found.split('\n').length === 4,
          'the program',
        );
        expectDone(machine.run('systemctl', 'stop', 'orb'));
        expect(text).to.match(seen);
      });
  });

  describe('orb@a.service and orb@b.service on one database', () => {
    let postgres: PostgresServer;
    let relay: Relay;
    const urls = { a: '', b: '' };
    const settings = {
      store: { several_nodes: true },
      drain_notice_ms: 1500,
      providers: { outbox: { adapter: 'email/outbox' } },
    };
    before(async () => {
      expectDone(machine.run('sh', '-ec', toSeveral.replaceAll('sudo ', '')));
      postgres = await startPostgres();
      await postgres.client('orb');
      relay = await startRelay(postgres.socket);
      machine.write('etc/orb/platform.json', JSON.stringify(settings));
      for (const name of ['a', 'b'] as const) {
        const address = `127.0.0.1:${await freePort()}`;
        urls[name] = `http://${address}`;
        const database = `postgres://orb@127.0.0.1:${relay.port}/orb?sslmode=disable`;
        const lines = [`ORB_LISTEN=${address}`, `ORB_STORE_URL=${database}`, `ORB_MASTER_KEY=${'cd'.repeat(32)}`];
        machine.write(`etc/orb/${name}.env`, lines.join('\n'), 0o600);
      }
    });
    after(async () => {
      await relay?.close();
      await postgres?.stop();
    });

    it('an upgrade hands over from one to the other: no request fails, and settings stay', async () => {
      for (const name of ['a', 'b']) expectDone(await machine.runLater('systemctl', 'enable', '--now', `orb@${name}`));
      const key = adminKey(join(machine.root, state, 'a'));
      const invocations = () => ['a', 'b'].map((name) => machine.show(`orb@${name}.service`, 'InvocationID'));
      const first = invocations();
      writeLater(join(machine.root, 'later.deb'));
      let done = false;
      const statuses: number[] = [];
      const client = async (): Promise<void> => {
        while (!done) {
          const url = await readyUrl(Object.values(urls));
          const { status, text } = await sendMail({ url, key }, 'ada@example.com');
          expect(status, text).to.equal(200);
          statuses.push(status);
          await delay(20);
        }
      };
      const clients = Promise.all([client(), client()]);
      const upgrade = machine.runLater('dpkg', '--install', '/later.deb');
      await Promise.race([upgrade, clients]);
      done = true;
      await clients;
      expectDone(await upgrade);
      console.log(`      ${statuses.length} requests during the upgrade`);
      expect(invocations().filter((id) => first.includes(id))).to.deep.equal([]);
      expect(machine.run('dpkg-query', '-W', '-f', '${Version}', 'agent-orb-platform').stdout).to.equal('99.0.0');
      expect(JSON.parse(readFileSync(join(machine.root, 'etc/orb/platform.json'), 'utf8'))).to.deep.equal(settings);
      const { json } = await send(urls.a, '/nodes', { key });
      expect(
        (json['nodes'] as { name: string; serving: boolean }[]).map(({ name, serving }) => [name, serving]).sort(),
      ).to.deep.equal([
        ['a', true],
        ['b', true],
      ]);
    });

    it('end when the package is removed; a purge leaves only state', async () => {
      expectDone(await machine.runLater('dpkg', '--remove', 'agent-orb-platform'));
      for (const url of Object.values(urls)) expect(await isReady(url)).to.equal(false);
      expect(existsSync(join(machine.root, 'etc/orb/platform.json'))).to.equal(true);
      expectDone(machine.run('dpkg', '--purge', 'agent-orb-platform'));
      expect(existsSync(join(machine.root, 'etc/orb/platform.json'))).to.equal(false);
      expect(existsSync(join(machine.root, state, 'a/data/state'))).to.equal(true);
    });
  });

  /** Writes a deb with the same program and another version. */
  function writeLater(file: string): void {
    const folder = join(dir, 'later');
    execFileSync('dpkg-deb', ['--raw-extract', join(release.folder, deb), folder]);
    const control = join(folder, 'DEBIAN/control');
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, 'Version: 99.0.0'));
    execFileSync('dpkg-deb', ['-Znone', '--build', folder, file], { stdio: 'ignore' });
  }
});

async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok === true;
}

/** Finds a server that accepts work, as a proxy does. */
async function readyUrl(urls: readonly string[]): Promise<string> {
  return until(
    async () => {
      for (const url of urls.toSorted(() => Math.random() - 0.5)) if (await isReady(url)) return url;
      return '';
    },
    (url) => url !== '',
  );
}

function expectDone({ status, stdout, stderr }: Ended): void {
  expect(status, stdout + stderr).to.equal(0);
}
