import { expect } from 'chai';
import type pg from 'pg';
import { ConfigError } from '../../../../kernel/error.ts';
import { builtinStores } from '../../../../plugins/stores.ts';
import { migrateAll } from '../../../../plugins/postgres/tables/migration.ts';
import { openSession, type Session } from '../../../../plugins/postgres/connection/session.ts';
import type { Migrations } from '../../../../kernel/store/sql/applied.ts';
import { until } from '../../../helpers/until.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';

const first = `
  CREATE TABLE notes_note (id TEXT PRIMARY KEY, text TEXT NOT NULL DEFAULT 'a;b', n INTEGER CHECK (n IN (1, 2))) STRICT;
  CREATE INDEX notes_note_by_text ON notes_note (text, id) WHERE text <> ';';`;
const second = `
  ALTER TABLE notes_note ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE notes_page (id TEXT NOT NULL, no INTEGER NOT NULL, body BLOB, PRIMARY KEY (id, no)) STRICT, WITHOUT ROWID;
  INSERT INTO notes_page (id, no) SELECT id, 1 FROM notes_note WHERE text = 'INTEGER; TEXT'`;

const applied = (session: Session, stores: readonly Migrations[]): Promise<void> =>
  migrateAll(session, stores, { now: 0 });

describe('the tables of the stores on PostgreSQL', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let databases = 0;
  const sessions: Session[] = [];

  after(() => Promise.all(sessions.map((session) => session.close())));

  /** A new database: the tests' own client, and as many sessions as are asked for. */
  const fresh = async (count = 1): Promise<{ client: pg.Client; opened: readonly Session[] }> => {
    const database = `migration_${++databases}`;
    const client = await server.client(database);
    const { host = '', user = '' } = client;
    const opened = await Promise.all(
      Array.from({ length: count }, () => openSession({ connect: { host, user, database }, shown: '' }, 'upgrade')),
    );
    sessions.push(...opened);
    return { client, opened };
  };

  it('are made once when several processes start at once', async () => {
    const { client, opened } = await fresh(4);
    await Promise.all(opened.map((session) => applied(session, builtinStores)));
    const { rows } = await client.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM kernel_migrations WHERE store <> ''`,
    );
    expect(rows[0]?.n).to.equal(builtinStores.reduce((sum, { migrations }) => sum + migrations.length, 0));
  });

  it('take a later migration by the text that SQLite takes, with the rows that are there', async () => {
    const { client, opened } = await fresh();
    const [session] = opened;
    if (session === undefined) throw new Error('no session');
    await applied(session, [{ name: 'notes', migrations: [first] }]);
    await client.query(`INSERT INTO notes_note (id, text) VALUES ('one', 'INTEGER; TEXT'), ('two', 'other')`);
    await applied(session, [{ name: 'notes', migrations: [first, second] }]);
    expect((await client.query('SELECT id FROM notes_page')).rows).to.deep.equal([{ id: 'one' }]);
    expect(
      (await client.query(`INSERT INTO notes_note (id) VALUES ('three') RETURNING text, size`)).rows,
    ).to.deep.equal([{ text: 'a;b', size: '0' }]);
    const unfit = await client
      .query(`INSERT INTO notes_note (id, n) VALUES ('four', 3)`)
      .catch((error: unknown) => error);
    expect(unfit).to.include({ code: '23514' });
  });

  it('stay as a newer program has left them when an older one starts beside it', async () => {
    const { client, opened } = await fresh();
    const [session] = opened;
    if (session === undefined) throw new Error('no session');
    await applied(session, [{ name: 'notes', migrations: [first, second] }]);
    await applied(session, [{ name: 'notes', migrations: [first] }]);
    expect((await client.query(`SELECT number FROM kernel_migrations WHERE store = 'notes'`)).rowCount).to.equal(2);
    const edited = await applied(session, [{ name: 'notes', migrations: [`${first} `] }]).catch((e: unknown) => e);
    expect(edited).to.be.instanceOf(ConfigError);
  });

  it('wait for a long read, such as a dump, and let those that serve go on meanwhile', async () => {
    const { client, opened } = await fresh();
    const [session] = opened as [Session];
    await applied(session, [{ name: 'notes', migrations: [first] }]);
    await client.query('BEGIN');
    await client.query('SELECT count(*) FROM notes_note');
    const told: string[] = [];
    const stores = [{ name: 'notes', migrations: [first, second] }];
    const migrated = migrateAll(session, stores, {
      ...{ now: 0 },
      tell: ({ left, migration, store }) => void told.push(`${store} ${migration}, ${left} left`),
    });
    const serving = await server.client(client.database ?? '');
    await until(
      async () => (await serving.query('SELECT pid FROM pg_locks WHERE NOT granted')).rowCount,
      (waiting) => waiting === 1,
      'the migration to wait',
    );
    await serving.query("SET lock_timeout = '2s'");
    await serving.query(`INSERT INTO notes_note (id) VALUES ('meanwhile')`);
    await client.query('COMMIT');
    await migrated;
    expect((await client.query('SELECT id, size FROM notes_note')).rows).to.deep.equal([
      { id: 'meanwhile', size: '0' },
    ]);
    expect(told).to.deep.equal(['notes 2, 1 left']);
  });

  for (const code of ['40001', '40P01', '55P03'])
    it(`are migrated again when another transaction disturbed it: ${code}`, async () => {
      const { client, opened } = await fresh();
      const [session] = opened as [Session];
      // An advisory lock of a session outlives the transaction that takes it: only the first call is refused.
      await client.query(`
        CREATE FUNCTION disturbed() RETURNS text LANGUAGE plpgsql AS $$
        BEGIN
          IF EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) THEN
            RETURN 'once';
          END IF;
          PERFORM pg_advisory_lock(1);
          RAISE EXCEPTION 'disturbed' USING ERRCODE = '${code}';
        END $$`);
      const disturbing = 'INSERT INTO notes_note (id) SELECT disturbed() AS id';
      await applied(session, [{ name: 'notes', migrations: [first] }]);
      await applied(session, [{ name: 'notes', migrations: [first, disturbing] }]);
      expect((await client.query('SELECT id FROM notes_note')).rows).to.deep.equal([{ id: 'once' }]);
    });

  const failing = 'CREATE TABLE notes_note (id TEXT)';
  for (const [what, later, fault, count] of [
    ['an applied migration was edited', [`${first} `, second], /was changed after it was applied/, 1],
    ['a migration fails', [first, failing], /already exists/, 1],
    ['a migration after another one fails', [first, second, failing], /after number 2 failed: .* already exists/, 2],
  ] as const)
    it(`stay as the migrations before leave them when ${what}`, async () => {
      const { client, opened } = await fresh();
      const [session] = opened;
      if (session === undefined) throw new Error('no session');
      await applied(session, [{ name: 'notes', migrations: [first] }]);
      const error = await applied(session, [{ name: 'notes', migrations: [...later] }]).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(ConfigError);
      expect((error as Error).message).to.match(fault);
      expect((await client.query(`SELECT number FROM kernel_migrations WHERE store = 'notes'`)).rowCount).to.equal(
        count,
      );
    });
});
