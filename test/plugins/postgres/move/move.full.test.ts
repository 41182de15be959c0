import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import type pg from 'pg';
import { operation } from '../../../../kernel/index.ts';
import { ConfigError } from '../../../../kernel/error.ts';
import { moveStore, type MoveOptions, type MoveResult } from '../../../../plugins/postgres/move/move.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import crate, { crateModule, type Thing } from '../../../helpers/stores/crate.ts';
import { rejection, Stores } from '../../../helpers/stores/open.ts';

const program = fileURLToPath(new URL('../../../helpers/stores/moving-process.ts', import.meta.url));
// Two parts of COPY and more.
const large = 'x'.repeat(1_500_000);
const installation = /^ins_/;

describe('a move of a store', function () {
  this.timeout(120_000);
  const stores = new Stores();
  const server = usePostgres();
  let databases = 0;
  let database: string;
  let admin: pg.Client;
  let folder: string;

  beforeEach(async () => {
    database = `moved_${++databases}`;
    admin = await server.client(database);
    folder = stores.folder();
  });
  afterEach(() => stores.tidy());

  const insert = async (things: readonly Thing[], address?: object): Promise<void> => {
    const store = await open(address);
    for (const thing of things) await store.write([operation(crate, 'insert', thing)]);
    await store.close();
  };
  const open = (address?: object, stateDir = folder) =>
    stores.open(stateDir, {
      modules: [crateModule],
      ...(address === undefined ? {} : { address: server.address(database), masterKey: masterKey() }),
    });
  const masterKey = (): string => readFileSync(join(folder, 'master.key'), 'utf8').trim();
  const move = (options: Partial<MoveOptions> = {}): Promise<MoveResult> =>
    moveStore({
      ...{ stateDir: folder, address: server.address(database), masterKey: undefined, modules: [crate], now: 0 },
      check: () => Promise.resolve(),
      ...{ tell: () => undefined, tellRows: () => undefined, onStep: () => undefined },
      ...options,
    });
  /** Whether a server starts on the file, and on the database. */
  const starts = async (): Promise<{ file: boolean; database: boolean }> => {
    const tried = async (address?: object): Promise<boolean> => {
      const store = await open(address).catch((error: unknown) => {
        expect(error, String(error)).to.be.instanceOf(ConfigError);
      });
      await store?.close();
      return store !== undefined;
    };
    return { file: await tried(), database: await tried({}) };
  };
  const ids = async (): Promise<readonly number[]> =>
    (await admin.query<{ id: string }>('SELECT id FROM crate_thing ORDER BY id')).rows.map(({ id }) => Number(id));

  it('keeps each value; U+0000, which the database cannot hold, becomes U+FFFD and is counted', async () => {
    await insert([
      { id: 1, text: '\\N\t\n\r"\'ü€𝄞\u0001', bytes: Uint8Array.from({ length: 256 }, (_, at) => at), size: 0.1 },
      { id: -2, text: '', bytes: new Uint8Array(), size: -1e300 },
      { id: 3, text: null },
      { id: 4, text: 'a\0b\0' },
      { id: 5, text: large, size: Number.MIN_VALUE },
    ]);
    const file = new Driver(join(folder, 'store.db'));
    file.prepare('UPDATE crate_thing SET id = ? WHERE id = 3').run(2n ** 63n - 1n);
    const kept = file.prepare('SELECT installation, sealed_check, created_at FROM kernel_installation').all();
    const known = `SELECT store, number, sha256, applied_at FROM kernel_migrations WHERE store = 'crate' ORDER BY number`;
    const applied = file.prepare(known).all();
    file.close();
    const { filled, installation: moved } = await move();
    expect(filled).to.deep.equal({ tables: 2, rows: 6, replaced: 1 });
    expect(moved).to.match(installation);
    const { rows } = await admin.query('SELECT id, text, bytes, size FROM crate_thing ORDER BY id');
    expect(rows).to.deep.equal([
      { id: '-2', text: '', bytes: Buffer.alloc(0), size: -1e300 },
      {
        id: '1',
        text: '\\N\t\n\r"\'ü€𝄞\u0001',
        bytes: Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at)),
        size: 0.1,
      },
      { id: '4', text: 'a\ufffdb\ufffd', bytes: null, size: 0 },
      { id: '5', text: large, bytes: null, size: Number.MIN_VALUE },
      { id: '9223372036854775807', text: null, bytes: null, size: 0 },
    ]);
    const query = async (sql: string) => (await admin.query(sql)).rows;
    expect(await query('SELECT installation, sealed_check, created_at FROM kernel_installation')).to.deep.equal(kept);
    expect((await query(known)).map((row) => ({ ...row, number: Number(row.number) }))).to.deep.equal(applied);
    expect(await query(`SELECT indexname FROM pg_indexes WHERE indexname = 'crate_thing_size'`)).to.have.length(1);
  });

  it('lets any node settle what the processes left that rows name', async () => {
    await insert([]);
    const file = new Driver(join(folder, 'store.db'));
    const turn = file.prepare('INSERT INTO crate_turn (name, state, node, incarnation) VALUES (?, ?, ?, ?)');
    for (const name of ['two', 'three']) turn.run(name, 'ended', 'a', '0123456789abcdef');
    file.close();
    await move();
    const { rows } = await admin.query('SELECT incarnation, node, adopter, clean FROM kernel_ended');
    expect(rows).to.deep.equal([{ incarnation: '0123456789abcdef', node: 'a', adopter: '', clean: '0' }]);
  });

  it('ends in both places what only one goes on with, and the file says where the store is', async () => {
    await insert([{ id: 1, text: 'a' }]);
    await move();
    const { rows } = await admin.query('SELECT state FROM crate_turn');
    const file = new Driver(join(folder, 'store.db'), { readonly: true });
    expect([rows, file.prepare('SELECT state FROM crate_turn').all()]).to.deep.equal([
      [{ state: 'ended' }],
      [{ state: 'ended' }],
    ]);
    file.close();
    const refused = await rejection(open());
    expect(refused).to.be.instanceOf(ConfigError);
    expect(String(refused)).to.contain(`was moved to ${server.address(database).shown}`);
    await insert([{ id: 2, text: 'b' }], {});
    expect(await ids()).to.deep.equal([1, 2]);
  });

  for (const { name, prepare, says, more = {} } of [
    {
      name: 'a database with a table',
      prepare: () => admin.query('CREATE TABLE other (id bigint)'),
      says: 'is not empty: it has the table other',
    },
    {
      name: 'a database with a store',
      prepare: () =>
        stores.open(stores.folder(), { ...storeOptions(), masterKey: 'ef'.repeat(32) }).then((store) => store.close()),
      says: 'is not empty',
    },
    {
      name: 'a database that may forget commits',
      prepare: async () => {
        await admin.query(`ALTER DATABASE ${database} SET synchronous_commit = off`);
      },
      says: 'has synchronous_commit off',
    },
    { name: 'a state dir on which a server runs', prepare: () => open(), says: 'is in use by process' },
    { name: 'another master key', says: 'is not the master key', more: { masterKey: 'ab'.repeat(32) } },
    {
      name: 'a check that fails',
      says: 'not whole',
      more: { check: () => Promise.reject(new ConfigError(['not whole'])) },
    },
  ] as readonly { name: string; prepare?: () => Promise<unknown>; says: string; more?: Partial<MoveOptions> }[])
    it(`refuses ${name}, and leaves the file in use`, async () => {
      await insert([{ id: 1, text: 'a' }]);
      await prepare?.();
      const refused = await rejection(move(more));
      expect(refused).to.be.instanceOf(ConfigError);
      expect(String(refused)).to.contain(says);
      await stores.close();
      await (await open()).close();
    });
  const storeOptions = () => ({ modules: [crateModule], address: server.address(database) });

  it('refuses another database than the one that has the store', async () => {
    await insert([{ id: 1, text: 'a' }]);
    await move();
    await server.client('elsewhere');
    const refused = await rejection(move({ address: server.address('elsewhere') }));
    expect(String(refused)).to.contain(`was moved to ${server.address(database).shown}, not to`);
    expect(await move(), 'again').not.to.have.property('filled');
  });

  // In full with STORE_SOAK=1: each kill starts a process.
  const steps = ['marked', 'copying', 'filled', 'checked', 'left', 'settled'];
  const isWhole = process.env['STORE_SOAK'] === '1';
  for (const step of steps.filter((_, at) => isWhole || at % 3 === 1))
    it(`leaves exactly one place to start on when it is killed (SIGKILL) at the step ${step}, and can be run again`, async () => {
      await insert([1, 2, 3, 4, 5, 6].map((id) => ({ id, text: large })));
      const args = [program, folder, JSON.stringify(server.address(database)), step];
      const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(signal, stderr).to.equal('SIGKILL');
      const isLeft = ['left', 'settled'].includes(step);
      if (step === 'left') {
        // Another state dir does not show that the file is out of use.
        const other = await rejection(open({}, stores.folder()));
        expect(String(other)).to.contain('`orb store move` is filling the database');
      }
      expect(await starts()).to.deep.equal({ file: !isLeft, database: isLeft });
      await insert([{ id: 7, text: 'after the kill' }], isLeft ? {} : undefined);
      await move();
      expect(await starts()).to.deep.equal({ file: false, database: true });
      expect(await ids()).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
      expect(existsSync(join(folder, 'store.db'))).to.equal(true);
    });
});
