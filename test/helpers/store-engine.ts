import { createHash } from 'node:crypto';
import pg from 'pg';

/**
 * The engine on which the platforms of the tests keep their stores: SQLite, or with `STORE=postgres npm test` one
 * PostgreSQL server, which the run of the tests starts; each home has a database of its own.
 */
const server = process.env['ORB_TEST_POSTGRES'];
// Tests end while it is connected.
const admin = new pg.Pool({ host: server, user: 'orb', database: 'postgres', max: 1, allowExitOnIdle: true });

/** Whether the platforms of this run keep their stores in PostgreSQL. */
export const onPostgres: boolean = server !== undefined;

/** Makes the database of a home, unless it has one, and answers the variables of a server in that home. */
export async function storeOf(home: string): Promise<Readonly<Record<string, string>>> {
  if (server === undefined) return {};
  const name = databaseOf(home);
  const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (rowCount === 0) await admin.query(`CREATE DATABASE ${name}`);
  return storeVariables(home);
}

/** Answers the variables by which a server or a command in a home finds its database. */
export function storeVariables(home: string): Readonly<Record<string, string>> {
  if (server === undefined) return {};
  const url = `postgres:///${databaseOf(home)}?host=${server}&user=orb`;
  return { ORB_STORE_URL: url, ORB_MASTER_KEY: 'ab'.repeat(32) };
}

/** Removes the database of a home. */
export async function dropStore(home: string): Promise<void> {
  if (server === undefined) return;
  await admin.query(`DROP DATABASE IF EXISTS ${databaseOf(home)} WITH (FORCE)`);
}

function databaseOf(home: string): string {
  return `home_${createHash('sha256').update(home).digest('hex').slice(0, 16)}`;
}
