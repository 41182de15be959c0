import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { variables } from '../../../../kernel/config/settings.ts';
import { guideBlocks } from '../../../helpers/guide.ts';
import { goTool } from '../go-tool.ts';
import { operations } from '../../../../plugins/release/build/operations.ts';
import { releaseOf } from '../../../../plugins/release/build/release.ts';
import { packageDir } from '../../../helpers/folder.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { send, type Received } from '../../../helpers/http.ts';
import { need } from '../../../helpers/needs.ts';
import { shippedProgram } from '../../../helpers/program.ts';
import { until } from '../../../helpers/until.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly privileged?: boolean;
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly target: string }[];
}

interface Model {
  readonly services: Readonly<Record<string, Service>>;
}

/** A server as a service of the file starts it, in a home of its own. */
interface Server {
  readonly port: number;
  readonly home: string;
  child?: ChildProcess;
}

const secrets = { ORB_MASTER_KEY: 'ab'.repeat(32), POSTGRES_PASSWORD: 'wordOfPass1' };
const haproxy = existsSync('/usr/sbin/haproxy') ? '/usr/sbin/haproxy' : 'haproxy';

describe('the files for Compose', function () {
  this.timeout(180_000);
  const release = releaseOf(packageDir);
  let dir: string;
  let tool: string;
  before(async function () {
    need(this, 'go', 'haproxy');
    this.timeout(600_000);
    tool = goTool(packageDir, 'github.com/compose-spec/compose-go/v2/cmd', 'v2.16.2');
    dir = mkdtempSync(join(tmpdir(), 'orb-compose-'));
    await operations({ ...release, folder: dir });
  });
  after(() => dir !== undefined && rmSync(dir, { recursive: true, force: true }));

  // The command of compose-go gives the file no variable of the environment.
  const parse = (file: string, values: Readonly<Record<string, string>> = secrets) => {
    const text = readFileSync(join(dir, file), 'utf8');
    const given = text.replaceAll(/\$\{(\w+)[^}]*\}/g, (reference, name: string) => values[name] ?? reference);
    writeFileSync(join(dir, 'given.yaml'), given);
    return spawnSync(tool, ['--format', 'json', 'given.yaml'], { cwd: dir, encoding: 'utf8' });
  };
  const modelOf = (file: string, values?: Readonly<Record<string, string>>): Model => {
    const { status, stdout, stderr } = parse(file, values);
    expect(status, stderr).to.equal(0);
    return JSON.parse(stdout) as Model;
  };
  const serversOf = ({ services }: Model): [string, Service][] =>
    Object.entries(services).filter(([name]) => name.startsWith('orb'));

  for (const [file, names] of [
    ['compose.yaml', ['orb']],
    ['compose.ha.yaml', ['orb-a', 'orb-b']],
  ] as const)
    it(`${file} starts servers of this version, with variables that they know and no more rights than they need`, () => {
      const servers = serversOf(modelOf(file));
      expect(servers.map(([name]) => name)).to.have.members(names);
      for (const [name, { environment = {}, ...service }] of servers) {
        for (const variable of Object.keys(environment)) expect(variables, name).to.have.property(variable);
        expect(service).to.deep.include({
          image: `localhost/agent-orb-platform:${release.version}`,
          ...{ user: '65532:65532', read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
        });
        expect(service.privileged).to.equal(undefined);
        expect(service.volumes?.map(({ target }) => target)).to.include('/var/lib/orb');
      }
      const own = modelOf(file, { ...secrets, ORB_IMAGE: 'images.example.com/orb@sha256:00' });
      for (const [, { image }] of serversOf(own)) expect(image).to.equal('images.example.com/orb@sha256:00');
    });

  it('compose.ha.yaml asks for the secrets that it does not have', () => {
    const { status, stderr } = parse('compose.ha.yaml', {});
    expect(status).to.equal(1);
    expect(stderr).to.match(
      /variable ORB_MASTER_KEY is missing a value: set it in \.env, to what openssl rand -hex 32/,
    );
    expect(stderr).to.match(/variable POSTGRES_PASSWORD is missing a value: set it in \.env/);
  });

  it('compose.ha.yaml takes the secrets that the page on installation makes', () => {
    const block = guideBlocks('plugins/docs/pages/operate/install.md').find(({ code }) => code.includes('> .env'));
    const home = join(dir, 'with-secrets');
    mkdirSync(home);
    expect(spawnSync('/bin/sh', ['-ec', block?.code ?? 'false'], { cwd: home }).status).to.equal(0);
    const lines = readFileSync(join(home, '.env'), 'utf8').trim().split('\n');
    const made = Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
    expect(made).to.have.all.keys(Object.keys(secrets));
    const { environment = {} } = modelOf('compose.ha.yaml', made).services['orb-a'] ?? {};
    expect(environment['ORB_MASTER_KEY']).to.match(/^[0-9a-f]{64}$/);
  });

  describe('compose.ha.yaml, its parts started by hand', () => {
    const database = usePostgres();
    const started: ChildProcess[] = [];
    let servers: Readonly<Record<string, Server>>;
    let services: Model['services'];
    let url: string;
    let key: string;

    before(async () => {
      ({ services } = modelOf('compose.ha.yaml'));
      await database.client('orb');
      servers = Object.fromEntries(
        await Promise.all(
          ['orb-a', 'orb-b'].map(async (name) => [name, { port: await freePort(), home: homeOf(name) }] as const),
        ),
      );
      url = `http://127.0.0.1:${await startProxy()}`;
      for (const name of Object.keys(servers)) start(name);
      await until(serving, (names) => names.length === 2, 'both servers', 200);
    });
    after(() => {
      for (const child of started) child.kill('SIGKILL');
    });

    const bindOf = (name: string, target: string): string => {
      const found = services[name]?.volumes?.find((one) => one.type === 'bind' && one.target === target);
      return readFileSync(found?.source ?? expect.fail(`${name} has no ${target}`), 'utf8');
    };

    function homeOf(name: string): string {
      const home = join(dir, name);
      mkdirSync(join(home, 'data'), { recursive: true });
      writeFileSync(join(home, 'data/platform.json'), bindOf(name, '/var/lib/orb/data/platform.json'));
      return home;
    }

    /** Starts HAProxy with the file that its service mounts; addresses of containers become those of this machine. */
    async function startProxy(): Promise<number> {
      const port = await freePort();
      const whole = bindOf('proxy', '/usr/local/etc/haproxy/haproxy.cfg');
      writeFileSync(join(dir, 'whole.cfg'), whole);
      // The names of the servers are unknown here, and need not be known at a start.
      const checked = spawnSync(haproxy, ['-c', '-f', 'whole.cfg'], { cwd: dir, encoding: 'utf8' });
      expect(checked.status, checked.stderr).to.equal(0);
      const text = Object.entries(servers)
        .reduce((found, [name, server]) => found.replace(`${name}:8080`, `127.0.0.1:${server.port}`), whole)
        .replace('bind :8080', `bind 127.0.0.1:${port}`);
      writeFileSync(join(dir, 'here.cfg'), text);
      started.push(spawn(haproxy, ['-db', '-f', 'here.cfg'], { cwd: dir, stdio: 'ignore' }));
      return port;
    }

    function start(name: string): void {
      const [server, environment] = [servers[name], services[name]?.environment];
      if (server === undefined || environment === undefined) return expect.fail(`there is no service ${name}`);
      const { environment: made = {} } = services['postgres'] ?? {};
      const { hostname, password, pathname, username } = new URL(environment['ORB_STORE_URL'] ?? '');
      expect([hostname, username, password, pathname]).to.deep.equal([
        ...['postgres', made['POSTGRES_USER'], made['POSTGRES_PASSWORD'], `/${made['POSTGRES_DB']}`],
      ]);
      const env = {
        PATH: process.env['PATH'],
        ...environment,
        ...{ ORB_HOME: server.home, ORB_STATE_DIR: join(server.home, 'state') },
        ...{ ORB_STORE_URL: database.url('orb'), ORB_LISTEN: `127.0.0.1:${server.port}` },
      };
      server.child = spawn(process.execPath, [shippedProgram, 'serve'], { cwd: server.home, env, stdio: 'ignore' });
      started.push(server.child);
    }

    async function end(name: string, signal: NodeJS.Signals): Promise<number | null> {
      const child = servers[name]?.child ?? expect.fail(`${name} does not run`);
      const exited = once(child, 'exit') as Promise<[number | null]>;
      child.kill(signal);
      return (await exited)[0];
    }

    async function serving(): Promise<readonly string[]> {
      const file = Object.values(servers)
        .map(({ home }) => join(home, 'state/admin.key'))
        .find((path) => existsSync(path));
      if (file === undefined) return [];
      key = readFileSync(file, 'utf8').trim();
      const answer = await send(url, '/nodes', { key }).catch(() => undefined);
      const nodes = (answer?.json['nodes'] ?? []) as readonly { readonly name: string; readonly serving: boolean }[];
      return nodes.filter((one) => one.serving).map(({ name }) => name);
    }

    const run = (token: string): Promise<Received> =>
      send(url, '/orbisets/default/execute', {
        key,
        headers: { 'Idempotency-Key': token },
        json: {
          orb_id: 'notify.email@1.0.0',
          inputs: { to: 'ada@example.com', from_address: 'orb@example.com', subject: token, body: 'It works.' },
        },
      });

    async function expectRuns(...tokens: readonly string[]): Promise<void> {
      for (const token of tokens) {
        const { json, status, text } = await run(token);
        expect([status, json['status']], text).to.deep.equal([200, 'completed']);
      }
    }

    it('answers runs through the proxy', async () => {
      await expectRuns(...['first-1', 'first-2', 'first-3', 'first-4']);
      expect(await serving()).to.have.members(['a', 'b']);
    });

    it('answers every run while a server stops, and without it', async () => {
      let code: number | null | undefined;
      const ended = end('orb-a', 'SIGTERM').then((found) => (code = found));
      let count = 0;
      while (code === undefined) await expectRuns(`second-${++count}`);
      await ended;
      expect([code, count > 3]).to.deep.equal([0, true]);
      await expectRuns('third-1', 'third-2');
      expect(await serving()).to.deep.equal(['b']);
      start('orb-a');
      await until(serving, (names) => names.length === 2, 'the server', 200);
    });

    it('answers again when a server is killed', async () => {
      await end('orb-b', 'SIGKILL');
      // The proxy may cut a call that the killed server had.
      const answer = await until(
        () => run('fourth').catch(() => undefined),
        (found) => found?.status === 200,
        'an answer',
        200,
      );
      expect(answer?.json['status']).to.equal('completed');
      await expectRuns('fifth-1', 'fifth-2', 'fifth-3');
    });
  });
});
