import Driver from 'better-sqlite3';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { onPostgres, storeVariables } from './store-engine.ts';

/** A value of a column. */
type Value = string | number | Uint8Array | null;
type Row = Readonly<Record<string, Value>>;

/** Runs one statement in the store of a home, behind the back of its server, and answers its rows. */
export async function inStore(home: string, sql: string, ...values: readonly Value[]): Promise<readonly Row[]> {
  if (onPostgres) return inDatabase(home, sql, values);
  const driver = new Driver(join(home, 'data/state/store.db'));
  try {
    const statement = driver.prepare<Value[], Row>(sql);
    if (statement.reader) return statement.all(...values);
    statement.run(...values);
    return [];
  } finally {
    driver.close();
  }
}

/** Reads all bytes that the store of a home holds: no secret may be among them. */
export async function storedBytes(home: string): Promise<Buffer> {
  if (!onPostgres) {
    const stateDir = join(home, 'data/state');
    const files = readdirSync(stateDir).filter((name) => name.startsWith('store.db'));
    return Buffer.concat(files.map((name) => readFileSync(join(stateDir, name))));
  }
  const held: Uint8Array[] = [];
  const tables = await inDatabase(home, 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()');
  for (const { name } of tables)
    for (const row of await inDatabase(home, `SELECT * FROM ${String(name)}`))
      for (const value of Object.values(row))
        held.push(value instanceof Uint8Array ? value : Buffer.from(`${value}\n`));
  return Buffer.concat(held);
}

const bigint = 20;

async function inDatabase(home: string, sql: string, values: readonly Value[] = []): Promise<readonly Row[]> {
  const client = new pg.Client({
    connectionString: storeVariables(home)['ORB_STORE_URL'],
    types: { getTypeParser: (type: number) => (type === bigint ? Number : pg.types.getTypeParser(type)) },
  });
  await client.connect();
  try {
    let place = 0;
    const { rows } = await client.query<Row>(
      sql.replace(/\?/g, () => `$${++place}`),
      [...values],
    );
    return rows;
  } finally {
    await client.end();
  }
}
