import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { shippedProgram } from '../../helpers/program.ts';
import { builtinStores } from '../../../plugins/stores.ts';
import { openWriting } from '../../../kernel/store/sqlite/database.ts';
import { migrate } from '../../../kernel/store/sqlite/migration.ts';
import { shippedSettings } from '../../helpers/shipped-settings.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { updating } from '../../helpers/updating.ts';
import { Stores } from '../../helpers/stores/open.ts';

/** `<module> <number>` → SHA-256 of the text, as stores record it. */
type Migrations = Readonly<Record<string, string>>;

const frozenFile = join(import.meta.dirname, 'migrations.json');
const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

function recorded(storeFile: string): Migrations {
  const store = new Driver(storeFile, { readonly: true });
  const rows = store.prepare('SELECT store, number, sha256 FROM kernel_migrations ORDER BY store, number').all();
  store.close();
  return Object.fromEntries(
    (rows as { store: string; number: number; sha256: string }[]).map((row) => [
      `${row.store} ${row.number}`,
      row.sha256,
    ]),
  );
}

/** Lists the frozen migrations that are no longer as they were. */
function broken(frozen: Migrations, found: Migrations): readonly string[] {
  return Object.keys(frozen)
    .filter((name) => found[name] !== frozen[name])
    .map((name) =>
      found[name] === undefined
        ? `migration ${name} is gone: stores that have applied it no longer open; put it back`
        : `migration ${name} was edited: stores that have applied it no longer open; put its text back and add a new one`,
    );
}

describe('the migrations of all stores', () => {
  const stores = new Stores();
  afterEach(() => stores.tidy());

  it('are as they were when they were first recorded; new ones come after them', async function () {
    this.timeout(60_000);
    const folder = stores.folder();
    await stores.open(folder, { modules: builtinStores.map((module) => ({ module })) });
    const found = recorded(join(folder, 'store.db'));
    const frozen = JSON.parse(read('migrations.json')) as Migrations;
    expect(broken(frozen, found).join('\n')).to.equal('');
    const added = Object.keys(found).filter((name) => !(name in frozen));
    // Only after the line above: what was frozen is never written again.
    if (updating) writeFileSync(frozenFile, `${JSON.stringify(found, null, 2)}\n`);
    else expect(added, 'new migrations: freeze them with UPDATE_GOLDEN=1').to.deep.equal([]);
  });

  it('that were edited or taken away are named, and what to do', () => {
    const frozen = { 'notes 1': 'aa', 'notes 2': 'bb', 'words 1': 'cc' };
    expect(broken(frozen, { ...frozen, 'notes 3': 'dd' })).to.deep.equal([]);
    const faults = broken(frozen, { 'notes 1': 'aa', 'notes 2': 'b2' });
    expect(faults[0]).to.contain('notes 2 was edited').and.contain('add a new one');
    expect(faults[1]).to.contain('words 1 is gone');
    expect(faults).to.have.length(2);
  });
});

/**
 * oldest.sql is the store of the first program that could be started: runs, a manifest's digest, keys, receipts that are
 * in no log, since there was none, and kept values. No release is older than it.
 */
const beginnings: readonly { readonly name: string; readonly modules: typeof builtinStores }[] = [
  { name: 'the first program that could be started', modules: [] },
  { name: 'a program with the first migration of every module of today', modules: builtinStores },
];
// Of the store in oldest.sql; nothing else was ever sealed or opened with them.
const oldest = {
  masterKey: '146b0ce4168310668b9f2d96ad825bb17ccfd5f89700fef410585beca0372b4b',
  admin: 'orb_live_BhrlBwh185SdOrSv6ag0pCTDAzQa4AZJ1IwBQQ',
  tenant: 'orb_test_g4ceJTREG9dSDBnUOkAj5TliaDvjlIOF4XQ911',
  revoked: 'orb_live_xB9fhfC6fizY67bF0hYQUKoIYBrQRWcD2bIS8D',
  kept: { id: 'kept', tenant: 'acme', orbs: ['*'], retention_days: { inputs: 3650, outputs: 3650 } },
  keptReceipt: 'rec_01M7ZM509V0PSD1953EKDMY11Q',
};

for (const { name, modules } of beginnings)
  describe(`a store of ${name}`, function () {
    this.timeout(120_000);
    let home: string;
    let platform: TestPlatform;
    const begun = Date.UTC(2026, 10, 22, 12);
    // What is kept for ten years is still there.
    const clock = { now: () => begun + Math.floor(performance.now()), monotonic: () => performance.now() };
    const start = async (): Promise<void> => {
      const settings = shippedSettings();
      platform = await startPlatform({
        home,
        clock,
        platform: { ...settings, plugins: { policy: { config: { build_compiler: false } } } },
        data: { 'orbisets/kept.json': oldest.kept },
      });
    };

    before(async () => {
      home = mkdtempSync(join(tmpdir(), 'orb-oldest-'));
      const stateDir = join(home, 'data/state');
      mkdirSync(stateDir, { recursive: true, mode: 0o700 });
      writeFileSync(join(stateDir, 'master.key'), `${oldest.masterKey}\n`, { mode: 0o600 });
      writeFileSync(join(stateDir, 'admin.key'), `${oldest.admin}\n`, { mode: 0o600 });
      const database = openWriting(join(stateDir, 'store.db'));
      database.execute(read('oldest.sql'));
      for (const module of modules)
        migrate(database, { name: module.name, migrations: module.migrations.slice(0, 1) }, begun);
      database.close();
      expect(Object.keys(recorded(join(stateDir, 'store.db')))).to.have.length(Math.max(4, modules.length + 1));
      await start();
    });
    after(async () => {
      await platform?.stop({ keep: true });
      rmSync(home, { recursive: true, force: true });
    });

    it('opens, and lists its runs with receipts that verify', async () => {
      const { body } = await platform.call('GET', '/runs');
      expect(body.runs.map((run: { status: string }) => run.status)).to.deep.equal([
        'completed',
        'failed',
        'completed',
        'completed',
      ]);
      for (const { receipt_id } of body.runs) {
        const receipt = await platform.call('GET', `/receipts/${receipt_id}`);
        expect(receipt.body, receipt_id).to.include({ signature_valid: true });
      }
    });

    it('lets in who had a key, not whose key was revoked', async () => {
      const own = await platform.call('GET', '/runs', undefined, oldest.tenant);
      expect(own.body.runs).to.have.length(2);
      expect((await platform.call('GET', '/runs', undefined, oldest.revoked)).status).to.equal(401);
    });

    it('still opens what was sealed to be kept', async () => {
      const { body } = await platform.call('GET', `/receipts/${oldest.keptReceipt}?disclose=inputs`);
      expect(JSON.stringify(body.disclosed)).to.contain('kept for a while');
    });

    it('takes a new run, whose receipt goes on in the chain of the old ones, and its log is whole', async () => {
      const ran = await platform.call('POST', '/orbisets/kept/execute', {
        orb_id: 'demo.echo@1.0.0',
        inputs: { text: 'new' },
      });
      expect(ran.status, JSON.stringify(ran.body)).to.equal(200);
      const before = await sequenceOf(oldest.keptReceipt);
      // Two runs of this Orbiset are older.
      expect([before, await sequenceOf(ran.body.receipt.receipt_id)]).to.deep.equal([1, 3]);
      await platform.stop({ keep: true });
      const program = shippedProgram;
      const checked = spawnSync(process.execPath, [program, 'log', 'fsck'], {
        env: { PATH: process.env['PATH'], ORB_HOME: home },
        encoding: 'utf8',
      });
      expect([checked.status, checked.stderr]).to.deep.equal([0, '']);
      expect(checked.stdout).to.match(/\/receipts\/0, \d+ entries: OK/);
      const frozen = JSON.parse(read('migrations.json')) as Migrations;
      expect(recorded(join(home, 'data/state/store.db'))).to.deep.equal(frozen);
      await start();
      expect((await platform.call('GET', '/runs')).body.runs).to.have.length(5);
    });

    async function sequenceOf(receiptId: string): Promise<unknown> {
      const { body } = await platform.call('GET', `/receipts/${receiptId}`);
      return body.statement.predicate.sequence;
    }
  });
