import { expect } from 'chai';
import type pg from 'pg';
import { builtinStores } from '../../../../plugins/stores.ts';
import { openScratch, type Database } from '../../../../kernel/store/sqlite/database.ts';
import type { Migrations } from '../../../../kernel/store/sql/applied.ts';
import { baselineOf, laterMigration } from '../../../../plugins/postgres/tables/schema.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';

/** A table as both engines tell it. */
interface Shape {
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly indexes: readonly string[];
}

const typeNames: Readonly<Record<string, string>> = {
  ...{ INTEGER: 'bigint', TEXT: 'text C', BLOB: 'bytea', REAL: 'double precision' },
};

function migrated({ migrations }: Pick<Migrations, 'migrations'>): Database {
  const database = openScratch();
  for (const migration of migrations) database.execute(migration);
  return database;
}

function sqliteTables(database: Database): readonly string[] {
  const named = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
  return database
    .prepare(named)
    .all()
    .map(({ name }) => String(name));
}

function sqliteShape(database: Database, table: string): Shape {
  const columns = database
    .prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?) ORDER BY cid')
    .all(table);
  const indexes = database
    .prepare('SELECT name, "unique", origin, partial FROM pragma_index_list(?)')
    .all(table)
    .filter(({ origin }) => origin !== 'pk');
  const keyed = columns
    .filter(({ pk }) => Number(pk) > 0)
    .sort((one, other) => Number(one['pk']) - Number(other['pk']));
  return {
    columns: columns.map(({ name, type, notnull, pk }) =>
      [name, typeNames[String(type)], notnull === 1 || Number(pk) > 0].join(' '),
    ),
    key: keyed.map(({ name }) => String(name)),
    indexes: indexes
      .map(({ name, unique, partial }) => {
        const parts = database.prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno').all(String(name));
        return [parts.map((part) => part['name']).join(), unique === 1, partial === 1].join(' ');
      })
      .sort(),
  };
}

async function postgresShape(client: pg.Client, table: string): Promise<Shape> {
  const rows = async (text: string): Promise<readonly Record<string, string>[]> =>
    (await client.query<Record<string, string>>(text, [table])).rows;
  const columns = await rows(
    `SELECT column_name, data_type, is_nullable, collation_name FROM information_schema.columns
     WHERE table_name = $1 ORDER BY ordinal_position`,
  );
  const indexes = await rows(
    `SELECT i.indisprimary, i.indisunique, i.indpred IS NOT NULL AS partial,
       (SELECT string_agg(a.attname, ',' ORDER BY k.place) FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number) AS names
     FROM pg_index i WHERE i.indrelid = $1::regclass`,
  );
  const [key] = indexes.filter(({ indisprimary }) => Boolean(indisprimary));
  return {
    columns: columns.map(({ column_name, data_type, is_nullable, collation_name }) =>
      [column_name, [data_type, collation_name].filter(Boolean).join(' '), is_nullable === 'NO'].join(' '),
    ),
    key: String(key?.['names']).split(','),
    indexes: indexes
      .filter(({ indisprimary }) => !indisprimary)
      .map(({ names, indisunique, partial }) => [names, indisunique, partial].join(' '))
      .sort(),
  };
}

describe('the tables of a new store on PostgreSQL', () => {
  const server = usePostgres();
  let made = 0;

  const created = async (texts: readonly string[]): Promise<pg.Client> => {
    const client = await server.client(`schema${++made}`);
    for (const text of texts) await client.query(text);
    return client;
  };

  for (const module of builtinStores)
    it(`are those of ${module.name} after all its migrations`, async () => {
      const database = migrated(module);
      const client = await created(baselineOf(module));
      const { rows } = await client.query<{ name: string }>(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
      );
      const tables = sqliteTables(database);
      expect(rows.map(({ name }) => name).sort()).to.deep.equal([...tables].sort());
      for (const table of tables)
        expect(await postgresShape(client, table), table).to.deep.equal(sqliteShape(database, table));
      database.close();
    });

  it('hold the rows that migrations insert, without those of other modules', async () => {
    const module = {
      name: 'a',
      migrations: [
        `CREATE TABLE a_row (id TEXT PRIMARY KEY, n INTEGER, note TEXT) STRICT;
         INSERT INTO a_row VALUES ('it''s', 3, NULL); CREATE TABLE b_row (id TEXT PRIMARY KEY);`,
      ],
    };
    const client = await created(baselineOf(module));
    expect((await client.query('SELECT id, n, note FROM a_row')).rows).to.deep.equal([
      { id: "it's", n: '3', note: null },
    ]);
    expect(baselineOf(module).join()).not.to.contain('b_row');
  });

  it('are the same after a later migration', async () => {
    const first = { name: 'a', migrations: ['CREATE TABLE a_row (id TEXT PRIMARY KEY) STRICT'] };
    const later = `CREATE TABLE a_more (id INTEGER PRIMARY KEY, bytes BLOB, size REAL, note TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE INDEX a_more_note ON a_more (note) WHERE note <> 'STRICT, TEXT'; ALTER TABLE a_row ADD COLUMN n INTEGER;`;
    const both = { ...first, migrations: [...first.migrations, later] };
    const clients = [await created([...baselineOf(first), laterMigration(later)]), await created(baselineOf(both))];
    const database = migrated(both);
    for (const table of sqliteTables(database))
      for (const client of clients)
        expect(await postgresShape(client, table)).to.deep.equal(sqliteShape(database, table));
    database.close();
  });

  it('are refused with a type that PostgreSQL does not have', () => {
    const odd = { name: 'a', migrations: ['CREATE TABLE a_row (id TEXT PRIMARY KEY, n ANY) STRICT'] };
    expect(() => baselineOf(odd)).to.throw('a_row.n has a type');
  });
});
