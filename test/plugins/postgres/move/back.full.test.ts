import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type pg from 'pg';
import { operation } from '../../../../kernel/index.ts';
import { ConfigError } from '../../../../kernel/error.ts';
import { moveBack, type MoveBackOptions } from '../../../../plugins/postgres/move/back.ts';
import { moveStore, type MoveResult } from '../../../../plugins/postgres/move/move.ts';
import { openSession } from '../../../../plugins/postgres/connection/session.ts';
import { takeDatabase } from '../../../../plugins/postgres/cluster/taking.ts';
import { leaseTimes } from '../../../../plugins/postgres/cluster/watched.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import crate, { crateModule, type Thing } from '../../../helpers/stores/crate.ts';
import { rejection, Stores } from '../../../helpers/stores/open.ts';

const program = fileURLToPath(new URL('../../../helpers/stores/moving-back-process.ts', import.meta.url));
const masterKey = 'ab'.repeat(32);
const large = 'x'.repeat(100_000);

describe('a move of a store back into a file', function () {
  this.timeout(120_000);
  const stores = new Stores();
  const server = usePostgres();
  let databases = 0;
  let database: string;
  let admin: pg.Client;
  let folder: string;

  beforeEach(async () => {
    database = `back_${++databases}`;
    admin = await server.client(database);
    folder = stores.folder();
  });
  afterEach(() => stores.tidy());

  const open = (isDatabase: boolean, stateDir = folder) =>
    stores.open(stateDir, {
      ...{ modules: [crateModule], masterKey },
      ...(isDatabase ? { address: server.address(database) } : {}),
    });
  const insert = async (things: readonly Thing[], isDatabase = true): Promise<void> => {
    const store = await open(isDatabase);
    for (const thing of things) await store.write([operation(crate, 'insert', thing)]);
    await store.close();
  };
  const needed = (stateDir = folder) => ({
    ...{ stateDir, address: server.address(database), masterKey, modules: [crate], now: 0 },
    check: () => Promise.resolve(),
    ...{ tell: () => undefined, tellRows: () => undefined, onStep: () => undefined },
  });
  const back = (options: Partial<MoveBackOptions> = {}): Promise<MoveResult> => moveBack({ ...needed(), ...options });
  const inFile = <T>(sql: string): readonly T[] => {
    const file = new Driver(join(folder, 'store.db'), { readonly: true });
    try {
      return file.prepare<[], T>(sql).safeIntegers().all();
    } finally {
      file.close();
    }
  };
  const ids = (): readonly number[] =>
    inFile<{ id: bigint }>('SELECT id FROM crate_thing ORDER BY id').map(({ id }) => Number(id));
  /** Whether a server starts on the file, and on the database. */
  const starts = async (): Promise<{ file: boolean; database: boolean }> => {
    const tried = async (isDatabase: boolean): Promise<boolean> => {
      // A start without a store would make a new one.
      if (!isDatabase && !existsSync(join(folder, 'store.db')) && !existsSync(join(folder, 'store.moving/move')))
        return false;
      const store = await open(isDatabase).catch((error: unknown) => {
        expect(error, String(error)).to.be.instanceOf(ConfigError);
      });
      await store?.close();
      return store !== undefined;
    };
    return { file: await tried(false), database: await tried(true) };
  };

  it('keeps each value and who the installation is, and ends in both places what only one goes on with', async () => {
    await insert([
      { id: 1, text: '\\N\t\n"\'ü€𝄞\u0001', bytes: Uint8Array.from({ length: 256 }, (_, at) => at), size: 0.1 },
      { id: -2, text: '', bytes: new Uint8Array(), size: -1e300 },
      { id: 3, text: null, size: Number.MIN_VALUE },
    ]);
    await admin.query(`UPDATE crate_thing SET id = 9223372036854775807 WHERE id = 3`);
    const { rows: kept } = await admin.query('SELECT installation, sealed_check, created_at FROM kernel_installation');
    const { filled } = await back();
    expect(filled).to.deep.equal({ tables: 2, rows: 4, replaced: 0 });
    expect(inFile('SELECT id, text, bytes, size FROM crate_thing ORDER BY id')).to.deep.equal([
      { id: -2n, text: '', bytes: Buffer.alloc(0), size: -1e300 },
      {
        id: 1n,
        text: '\\N\t\n"\'ü€𝄞\u0001',
        bytes: Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at)),
        size: 0.1,
      },
      { id: 2n ** 63n - 1n, text: null, bytes: null, size: Number.MIN_VALUE },
    ]);
    expect(inFile('SELECT installation, sealed_check, created_at FROM kernel_installation')).to.deep.equal(kept);
    expect(inFile('SELECT state FROM crate_turn')).to.deep.equal([{ state: 'ended' }]);
    expect((await admin.query('SELECT state FROM crate_turn')).rows).to.deep.equal([{ state: 'ended' }]);
    expect(String(await rejection(open(true)))).to.contain('was moved into a file');
    await insert([{ id: 4, text: 'after' }], false);
    expect(await back(), 'again').not.to.have.property('filled');
    expect(existsSync(join(folder, 'store.moving'))).to.equal(false);
  });

  it('goes into the state dir that the store came from, and into the same database again', async () => {
    await insert([{ id: 1, text: 'a' }], false);
    await moveStore(needed());
    await insert([{ id: 2, text: 'b' }]);
    await back();
    expect(ids()).to.deep.equal([1, 2]);
    await insert([{ id: 3, text: 'c' }], false);
    await moveStore(needed());
    expect(await starts()).to.deep.equal({ file: false, database: true });
    expect((await admin.query('SELECT id FROM crate_thing')).rows).to.have.length(3);
  });

  for (const { name, prepare, says, more = {} } of [
    { name: 'a database on which a server runs', prepare: () => open(true, stores.folder()), says: 'servers run on' },
    {
      name: 'a state dir whose store is in use',
      prepare: async () => {
        await (await open(false)).close();
      },
      says: 'holds a store that is in use',
    },
    { name: 'another master key', says: 'is not the master key', more: { masterKey: 'ef'.repeat(32) } },
    {
      name: 'tables of another configuration',
      prepare: () => admin.query(`DELETE FROM kernel_migrations WHERE store = 'crate' AND number = 2`),
      says: 'are not those of this program',
    },
    {
      name: 'a check that fails',
      says: 'not whole',
      more: { check: () => Promise.reject(new ConfigError(['not whole'])) },
    },
  ] as readonly { name: string; prepare?: () => Promise<unknown>; says: string; more?: Partial<MoveBackOptions> }[])
    it(`refuses ${name}, and leaves the database in use`, async () => {
      await insert([{ id: 1, text: 'a' }]);
      await prepare?.();
      const refused = await rejection(back(more));
      expect(refused, String(refused)).to.be.instanceOf(ConfigError);
      expect(String(refused)).to.contain(says);
      await stores.close();
      expect((await admin.query('SELECT move FROM kernel_moving')).rows).to.deep.equal([]);
      expect((await admin.query('SELECT state FROM crate_turn')).rows).to.deep.equal([{ state: 'active' }]);
    });

  it('refuses a database without a store', async () => {
    expect(String(await rejection(back()))).to.contain('holds no store');
    const tables = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`;
    expect((await admin.query(tables)).rows).to.deep.equal([]);
  });

  it('lets a start wait that comes while it holds the database, and refuses it at its end', async () => {
    await insert([{ id: 1, text: 'a' }]);
    let started: Promise<unknown> | undefined;
    await back({
      onStep(step) {
        if (step === 'marked') started = rejection(open(true, stores.folder()));
      },
    });
    expect(String(await started)).to.contain('was moved into a file');
  });

  it('lets no process join that had begun to start before', async () => {
    await insert([{ id: 1, text: 'a' }]);
    await back();
    const session = await openSession(server.address(database), 'upgrade');
    const asker = { node: 'late', incarnation: '0123456789abcdef', place: 'elsewhere' };
    const waiting = { times: leaseTimes, version: '1.0.0', beside: true, say: () => undefined };
    const refused = await rejection(takeDatabase(session, asker, waiting));
    await session.close();
    expect(String(refused)).to.contain('was moved into a file');
  });

  // In full with STORE_SOAK=1: each kill starts a process.
  const steps = ['marked', 'copying', 'filled', 'checked', 'left', 'settled'];
  const isWhole = process.env['STORE_SOAK'] === '1';
  for (const step of steps.filter((_, at) => isWhole || at % 3 === 1))
    it(`leaves exactly one place to start on when it is killed (SIGKILL) at the step ${step}, and can be run again`, async () => {
      await insert([1, 2, 3].map((id) => ({ id, text: large })));
      const args = [program, folder, JSON.stringify(server.address(database)), step];
      const env = { ...process.env, ORB_MASTER_KEY: masterKey };
      const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
      expect(signal, stderr).to.equal('SIGKILL');
      const isSettled = step === 'settled';
      if (step === 'left') {
        // Another state dir does not show that the file is not in its place.
        const other = await rejection(open(true, stores.folder()));
        expect(String(other)).to.contain('was moved into a file');
      }
      expect(await starts()).to.deep.equal({ file: isSettled, database: !isSettled });
      await insert([{ id: 7, text: 'after the kill' }], !isSettled);
      await back();
      expect(await starts()).to.deep.equal({ file: true, database: false });
      expect(ids()).to.deep.equal([1, 2, 3, 7]);
    });

  it('ends at once, when it was killed between the places and nobody started', async () => {
    await insert([{ id: 1, text: 'a' }]);
    const args = [program, folder, JSON.stringify(server.address(database)), 'left'];
    spawnSync(process.execPath, args, { env: { ...process.env, ORB_MASTER_KEY: masterKey } });
    expect(await back()).not.to.have.property('filled');
    expect(ids()).to.deep.equal([1]);
  });
});
