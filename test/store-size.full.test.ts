import { spawn } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { program } from './helpers/command-line.ts';
import { send } from './helpers/http.ts';
import { createServed, type Served } from './helpers/served.ts';
import { until } from './helpers/until.ts';

const exitConfig = 78;
const runs = 5;

interface Value {
  readonly name: string;
  readonly value?: unknown;
  readonly default?: boolean;
}

interface Report {
  readonly bytes: number;
  readonly store: {
    readonly bytes: number;
    readonly free_bytes: number;
    readonly tables: readonly { readonly name: string; readonly rows: number; readonly bytes: number }[];
  };
  readonly files: readonly { readonly name: string; readonly files: number; readonly bytes: number }[];
  readonly keeps: readonly {
    readonly what: string;
    readonly tables: readonly string[];
    readonly bytes: number;
    readonly advice?: string;
    readonly settings: readonly Value[];
    readonly values: readonly Value[];
  }[];
}

describe('the room of a state dir', function () {
  this.timeout(180_000);
  let served: Served;
  let at: { url: string; key: string };

  const storeOf = (): string => join(served.stateDir, 'store.db');
  const look = (): Report => {
    const { stdout, stderr } = served.orb('store', 'size', '--json');
    expect(stdout, stderr).not.to.equal('');
    return JSON.parse(stdout) as Report;
  };
  const table = ({ store }: Report, name: string) => store.tables.find((one) => one.name === name);
  const counted = ({ store }: Report): number => store.tables.reduce((sum, { bytes }) => sum + bytes, store.free_bytes);
  const keeping = ({ keeps }: Report, what: string) => keeps.find((one) => one.what === what);

  before(async () => {
    const plugins = {
      policy: { config: { build_compiler: false, retention_days: 7 } },
      ingestion: { config: { usage_retention_days: 400 } },
    };
    served = createServed({ plugins });
    mkdirSync(join(served.home, 'data/orbisets'));
    const orbiset = { id: 'default', tenant: 'default', orbs: ['*'], retention_days: { inputs: 2 } };
    writeFileSync(join(served.home, 'data/orbisets/default.json'), JSON.stringify(orbiset));
    at = await served.start();
    for (let run = 0; run < runs; run += 1)
      await send(at.url, '/orbisets/default/execute', {
        key: at.key,
        json: { orb_id: 'demo.echo@1.0.0', inputs: { text: `run ${run}` } },
      });
    const source = { name: 'alarms', vendor: 'grafana', retention_days: 3 };
    expect((await send(at.url, '/sources', { key: at.key, json: source })).status).to.equal(201);
    const stored = { id: 'over-the-api', orbs: ['*'], retention_days: { outputs: 4 } };
    expect((await send(at.url, '/orbisets', { key: at.key, json: stored })).status).to.equal(201);
  });
  after(() => served.remove());

  it('is told by table and file while a server runs, and every page of the store is counted', () => {
    const report = look();
    const { store, files } = report;
    expect([table(report, 'runtime_runs')?.rows, table(report, 'receipts_values')?.rows]).to.deep.equal([runs, runs]);
    // The server may write between the measure of one table and another.
    expect(counted(report)).to.be.closeTo(store.bytes, 65_536);
    const sizes = store.tables.map(({ bytes }) => bytes);
    expect(sizes).to.deep.equal(sizes.toSorted((one, other) => other - one));
    expect(files.map(({ name }) => name)).to.include.members(['store.db-wal', 'master.key', 'outbox']);
    expect(files.map(({ name }) => name)).not.to.include('store.db');
  });

  it('names each setting that keeps less, with its value now', () => {
    const report = look();
    const setting = (what: string, name: string) => {
      const found = keeping(report, what)?.settings.find((one) => one.name === name);
      return [found?.value, found?.default];
    };
    const policy = 'plugins.policy.config';
    expect(setting('decisions of policies', `${policy}.retention_days`)).to.deep.equal([7, undefined]);
    expect(setting('decisions of policies', `${policy}.retention_rows`)).to.deep.equal([5_000_000, true]);
    const usage = 'plugins.ingestion.config.usage_retention_days';
    expect(setting('counts of events per day', usage)).to.deep.equal([400, undefined]);
    const spans = 'plugins.observability.config.retention_days';
    expect(setting('times in which a service was not operational', spans)).to.deep.equal([100, true]);
    expect(keeping(report, 'deliveries with their bodies and signals')?.values).to.deep.equal([
      { name: 'source alarms: retention_days', value: 3 },
    ]);
    const orbisets = keeping(report, 'inputs, outputs and reasons of failures of runs')?.values;
    expect(orbisets?.map(({ name }) => name)).to.deep.equal([
      'Orbiset default: retention_days',
      'Orbiset over-the-api: retention_days',
    ]);
    expect(orbisets?.map(({ value }) => value)).to.deep.equal([
      { inputs: 2, outputs: 0 },
      { inputs: 0, outputs: 4 },
    ]);
    expect(keeping(report, 'receipts and their log')?.advice).to.contain('Kept permanently');
  });

  it('names only tables that there are, with the room that they take', () => {
    const report = look();
    const declared = report.keeps.flatMap(({ tables }) => tables);
    expect(report.store.tables.map(({ name }) => name)).to.include.members(declared);
    const sizeOf = (names: readonly string[]): number =>
      names.reduce((sum, name) => sum + (table(report, name)?.bytes ?? 0), 0);
    for (const { what, bytes, tables } of report.keeps) expect(bytes, what).to.equal(sizeOf(tables));
  });

  it('is told for people too, and how freed pages are given back', () => {
    const { status, stdout, stderr } = served.orb('store', 'size');
    expect([status, stderr]).to.deep.equal([0, '']);
    expect(stdout)
      .to.match(/^TABLE +ROWS +SIZE/m)
      .and.to.match(/^runtime_runs +5 /m);
    expect(stdout).to.contain('plugins.policy.config.retention_days: 7 (How long decisions are kept)');
    expect(stdout).to.contain('retention_rows: 5000000, the default').and.to.contain('orb store compact');
  });

  it('is not made smaller while a server runs', () => {
    const { status, stderr } = served.orb('store', 'compact');
    expect(status).to.equal(exitConfig);
    expect(stderr).to.contain('in use');
  });

  it('is refused without a store', async () => {
    const empty = createServed();
    for (const word of ['size', 'compact']) expect(empty.orb('store', word).status, word).to.equal(exitConfig);
    await empty.remove();
  });

  const faults: readonly {
    readonly name: string;
    readonly known: boolean;
    readonly change: (file: object) => unknown;
  }[] = [
    { name: 'is no JSON', known: false, change: () => undefined },
    { name: 'has a fault in plugins', known: false, change: (file) => ({ ...file, plugins: { policy: 5 } }) },
    { name: 'has a fault elsewhere', known: true, change: (file) => ({ ...file, drain_ms: 'long' }) },
  ];
  for (const { name, known, change } of faults)
    it(`is told ${known ? 'with' : 'without'} values when platform.json ${name}`, () => {
      const path = join(served.home, 'data/platform.json');
      const good = readFileSync(path, 'utf8');
      writeFileSync(path, JSON.stringify(change(JSON.parse(good) as object)) ?? '{');
      const { stdout, stderr } = served.orb('store', 'size', '--json');
      writeFileSync(path, good);
      expect(stderr.includes('orb config check'), stderr).to.equal(!known);
      const values = (JSON.parse(stdout) as Report).keeps.flatMap(({ settings }) => settings);
      expect(values.some(({ value }) => value !== undefined)).to.equal(known);
    });

  describe('after the stop of the server', () => {
    const fill = (rows: number): void => {
      const store = new Driver(storeOf());
      const insert = store.prepare(
        `INSERT INTO policy_decisions (decision_id, tenant, at, action, allow, orb_id, principal, record)
         VALUES ('dec_' || hex(randomblob(9)), 't', '', 'execute', 1, '', '', hex(randomblob(2000)))`,
      );
      store.transaction(() => {
        for (let row = 0; row < rows; row += 1) insert.run();
      })();
      store.close();
    };
    before(async () => {
      await served.stop();
      fill(6000);
    });

    it('freed pages are shown, and given back with all rows in place', async () => {
      const store = new Driver(storeOf());
      store.prepare('DELETE FROM policy_decisions WHERE rowid % 2 = 0').run();
      store.close();
      const before = look();
      const size = statSync(storeOf()).size;
      expect(before.store.free_bytes).to.be.greaterThan(size / 4);
      expect(counted(before)).to.equal(before.store.bytes);
      const { status, stdout, stderr } = served.orb('store', 'compact', '--json');
      expect(status, stderr).to.equal(0);
      const now = statSync(storeOf()).size;
      expect(now).to.be.lessThan((size * 3) / 4);
      expect(JSON.parse(stdout)).to.include({ after_bytes: now });
      const after = look();
      expect(after.store.free_bytes).to.equal(0);
      const rows = (report: Report) => report.store.tables.map(({ name, rows }) => `${name} ${rows}`).sort();
      expect(rows(after)).to.deep.equal(rows(before));
      expect(served.orb('log', 'fsck').status).to.equal(0);
      await served.start();
      await served.stop();
    });

    it('is not begun when the disk has no room for a copy', () => {
      const { bavail, bsize } = statfsSync(served.stateDir);
      const { size } = statSync(storeOf());
      const file = openSync(storeOf(), 'r+');
      const [pageSize, pages] = [Buffer.alloc(2), Buffer.alloc(4)];
      readSync(file, pageSize, 0, 2, 16);
      readSync(file, pages, 0, 4, 28);
      // A store as large as all that is free, by the count of pages in its header; the file has a hole.
      const many = Buffer.alloc(4);
      many.writeUInt32BE(Math.ceil((bavail * bsize) / pageSize.readUInt16BE()));
      ftruncateSync(file, many.readUInt32BE() * pageSize.readUInt16BE());
      writeSync(file, many, 0, 4, 28);
      const { status, stderr } = served.orb('store', 'compact');
      writeSync(file, pages, 0, 4, 28);
      ftruncateSync(file, size);
      closeSync(file);
      expect(status, stderr).to.equal(exitConfig);
      expect(stderr).to.contain('of free disk space');
      expect(served.orb('log', 'fsck').status).to.equal(0);
    });

    it('nothing is lost when the process is killed in between', async () => {
      fill(20_000);
      const before = look();
      const size = statSync(storeOf()).size;
      const env = { PATH: process.env['PATH'] ?? '' };
      const child = spawn(process.execPath, [program, 'store', 'compact'], { cwd: served.home, env, stdio: 'ignore' });
      const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
      const copy = `${storeOf()}.new`;
      await until(
        () => Promise.resolve(statSync(copy, { throwIfNoEntry: false })?.size ?? 0),
        (bytes) => bytes > size / 20 || child.exitCode !== null,
        'the new pages in the copy',
        1,
      );
      child.kill('SIGKILL');
      expect(await ended, 'it was not done yet').to.equal('SIGKILL');
      const after = look();
      expect(after.store.tables.map(({ name, rows }) => `${name} ${rows}`).sort()).to.deep.equal(
        before.store.tables.map(({ name, rows }) => `${name} ${rows}`).sort(),
      );
      expect(served.orb('log', 'fsck').status).to.equal(0);
      expect(served.orb('store', 'compact').status, 'the lock of a dead process is taken over').to.equal(0);
    });
  });
});
