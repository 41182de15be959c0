import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { shippedProgram } from './helpers/program.ts';
import { packageDir } from './helpers/folder.ts';
import { createServed, type Served } from './helpers/served.ts';

interface Report {
  readonly healthy: boolean;
  readonly findings: readonly { readonly name: string; readonly state: string; readonly remedy?: string }[];
}

describe('orb doctor', function () {
  this.timeout(120_000);
  let served: Served;
  beforeEach(() => {
    served = createServed();
  });
  afterEach(() => served.remove());

  function look(): Report & { readonly status: number | null } {
    const { status, stdout, stderr } = served.orb('doctor', '--json');
    expect(stdout, stderr).not.to.equal('');
    return { status, ...(JSON.parse(stdout) as Report) };
  }
  const faults = ({ findings }: Report): string[] =>
    findings.filter(({ state }) => state === 'fault').map(({ name }) => name);

  it('finds nothing wrong before the first start, with a server, and after it', async () => {
    expect(look()).to.include({ status: 0, healthy: true });
    expect(existsSync(served.stateDir), 'it only looks').to.equal(false);
    await served.start();
    const { findings, status } = look();
    expect(status, JSON.stringify(findings)).to.equal(0);
    const states = Object.fromEntries(findings.map(({ name, state }) => [name, state]));
    expect(states).to.include({ store: 'ok', log: 'ok', components: 'ok', policies: 'ok', clock: 'ok', disk: 'ok' });
    await served.stop();
    expect(look().status).to.equal(0);
  });

  it('asks only whether the server runs, as the health check of a container', async () => {
    const live = () => served.orb('doctor', '--live', '--json');
    expect(live()).to.include({ status: 1 });
    await served.start();
    const { status, stdout, stderr } = live();
    expect([status, stdout === '' ? stderr : JSON.parse(stdout)]).to.deep.equal([0, { live: true }]);
    await served.stop();
    expect(live()).to.include({ status: 1 });
  });

  it('invents no fault when the environment of the server is not its own', async () => {
    await served.remove();
    const allow = [{ host: 'api.example.com', headers: { authorization: { $env: 'API_KEY' } } }];
    const providers = { web: { adapter: 'http/client', config: { allow } } };
    const serverEnv = { API_KEY: 'a-made-up-key', ORB_MASTER_KEY: 'ab'.repeat(32) };
    served = createServed({ providers }, { serverEnv });
    await served.start();
    const stateOf = (name: string): unknown => look().findings.find((found) => found.name === name);
    expect([look().status, faults(look())]).to.deep.equal([0, []]);
    expect(stateOf('configuration'))
      .to.include({ state: 'skipped' })
      .and.have.property('detail')
      .that.match(/API_KEY .*not set here.*http:\/\/127/);
    expect(stateOf('master key')).to.include({ state: 'skipped' });
    await served.stop();
    expect(stateOf('configuration')).to.include({ state: 'warning' });
  });

  it('says what it could not ask without a key, and how a home elsewhere is named', async () => {
    const { url } = await served.start();
    const elsewhere = mkdtempSync(join(tmpdir(), 'orb-elsewhere-'));
    const env = { PATH: process.env['PATH'] ?? '', ORB_URL: url };
    const program = shippedProgram;
    const { status, stdout } = spawnSync(process.execPath, [program, 'doctor'], {
      cwd: elsewhere,
      env,
      encoding: 'utf8',
    });
    rmSync(elsewhere, { recursive: true });
    expect(status, stdout).to.equal(0);
    expect(stdout)
      .to.match(/^- state dir: .*\n.*ORB_HOME/m)
      .and.match(/^✓ components: /m);
    expect(stdout).to.match(/^- policies and providers: no key: set ORB_KEY/m);
  });

  it('says what each fault is, and what to do', async () => {
    await served.start();
    await served.stop();
    chmodSync(served.stateDir, 0o755);
    expect(faults(look())).to.deep.equal(['permissions']);
    chmodSync(served.stateDir, 0o700);

    const key = join(served.stateDir, 'master.key');
    const kept = readFileSync(key);
    rmSync(key);
    expect(faults(look())).to.deep.equal(['master key']);
    writeFileSync(key, kept, { mode: 0o600 });

    const platform = join(served.home, 'data/platform.json');
    const settings = readFileSync(platform, 'utf8');
    writeFileSync(platform, '{"no_such_setting": 1}');
    expect(faults(look())).to.deep.equal(['configuration']);
    writeFileSync(platform, settings);

    const store = join(served.stateDir, 'store.db');
    const file = openSync(store, 'r+');
    // Every page but the first: whatever the look meets is damaged.
    const junk = Buffer.alloc(statSync(store).size - 16_384, 0xa5);
    writeSync(file, junk, 0, junk.length, 16_384);
    const { findings, status } = look();
    expect(status).to.equal(1);
    expect(faults({ healthy: false, findings }))
      .to.include('store')
      .and.include('log');
    expect(findings.filter(({ state }) => state === 'fault').every(({ remedy }) => remedy !== undefined)).to.equal(
      true,
    );
  });

  it('names the Orbs that are no tool of MCP, tools without a guard, and what plugins of files have examined', async () => {
    await served.remove();
    served = createServed({ plugins: { own: { from: 'own.mjs' } } });
    const findings = "[{ name: 'own', state: 'warning', detail: 'is tired', remedy: 'Let it sleep.' }]";
    writeFileSync(
      join(served.home, 'own.mjs'),
      `export default (api) => api.definePlugin({ name: 'own', start: () => ({}), examinations: [
        () => ${findings}, () => { throw new Error('broken'); }] });\n`,
    );
    const echo = JSON.parse(readFileSync(join(packageDir, 'data/orbs/demo.echo@1.0.0.json'), 'utf8')) as object;
    mkdirSync(join(served.home, 'data/orbs'), { recursive: true });
    const put = (orb_id: string, more: object = {}): void =>
      writeFileSync(join(served.home, `data/orbs/${orb_id}.json`), JSON.stringify({ ...echo, orb_id, ...more }));
    put('two.of-one_name@1.0.0');
    put('own.look@1.0.0', { effect: 'irreversible', repeat_guard: false });
    await served.start();
    const tools = (report: Report): unknown => report.findings.filter(({ name }) => name === 'tools of MCP');
    const found = look();
    expect(tools(found)).to.have.property('0').with.property('state', 'ok');
    const open =
      'Repeated calls of these tools are executed again, as their manifest or Orbiset sets: default: own_look';
    expect(found.findings.find(({ name }) => name === 'repeat guard of MCP')).to.deep.include({ detail: open });
    await served.stop();
    put('two.of-one.name@1.0.0');
    await served.start();
    const report = look();
    expect(report.status).to.equal(1);
    const details = (tools(report) as { detail: string; state: string }[]).map(({ detail, state }) => [state, detail]);
    const why = 'two_of-one_name: several Orbs would have this name; rename them in the Orbiset';
    expect(details.sort()).to.deep.equal([
      ['warning', `two.of-one.name@1.0.0 is no tool of the Orbiset default: ${why}`],
      ['warning', `two.of-one_name@1.0.0 is no tool of the Orbiset default: ${why}`],
    ]);
    expect(report.findings.find(({ name }) => name === 'own')).to.deep.include({ remedy: 'Let it sleep.' });
    expect(faults(report)).to.deep.equal(['plugin own']);
  });
});
