import { join } from 'node:path';
import {
  ConfigError,
  openSqlite,
  storeFile,
  type Connection,
  type Moved,
  type NodeIdentity,
  type Operations,
  type StoreModule,
  type UpgradeStep,
} from '../../../kernel/engine.ts';
import { markMoved } from '../tables/moving.ts';
import { columnsOf, isOfModule, moduleTables, schemaOf } from '../tables/schema.ts';
import { readRows, type Cell } from './rows.ts';

/** A table of the store in the file. */
export interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** What each column holds: `INTEGER`, `TEXT`, `BLOB` or `REAL`. */
  readonly kinds: readonly string[];
  rows(): Iterable<readonly Cell[]>;
}

/** The rows of the kernel that go along. */
export interface SourceIdentity {
  readonly installation: string;
  readonly sealedCheck: Uint8Array;
  readonly createdAt: string;
  readonly migrations: readonly (readonly [store: string, number: number, sha256: string, appliedAt: string])[];
}

/** The store in the file of a state dir, open for its move: no server has it. */
export interface Source {
  readonly identity: SourceIdentity;
  /** Tables and indexes of the modules, as texts of PostgreSQL. */
  readonly schema: readonly string[];
  readonly tables: readonly SourceTable[];
  /** The processes that rows name: they have ended, and what they left is to be settled. */
  readonly owners: readonly NodeIdentity[];
  /** Statements that end what only one place of the store may go on with. */
  readonly endings: readonly string[];
  /** Ends it: servers no longer start on the file. Durable when it returns. */
  leave(moved: Moved): void;
  close(): void;
}

/** What opening the store of a state dir for its move needs. */
export interface SourceOptions {
  readonly stateDir: string;
  readonly masterKey: Uint8Array;
  /** The modules of the program and those of its configuration; those that the store does not hold are left out. */
  readonly modules: readonly StoreModule<Operations, unknown>[];
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  tell(step: UpgradeStep): void;
}

/** Opens the store of a state dir, upgraded to this program. Throws ConfigError as a start does. */
export function openSource({ stateDir, masterKey, modules, now, tell }: SourceOptions): Source {
  const options = { stateDir, masterKey, now, tell, newInstallation: refuseNew };
  const known = openSqlite({ ...options, modules: [] });
  const held = new Set(
    rowsOf(known.connection, 'SELECT DISTINCT store FROM kernel_migrations').map(({ store }) => store),
  );
  known.close();
  const engine = openSqlite({ ...options, modules: modules.filter(({ name }) => held.has(name)) });
  const { connection, close } = engine;
  const endings = modules.flatMap(({ name, moved = [] }) => (held.has(name) ? moved : []));
  const tables = tablesOf(connection, join(stateDir, storeFile));
  return {
    identity: identityOf(connection),
    schema: schemaOf(connection, isOfModule),
    ...{ tables, owners: ownersIn(connection, tables), endings },
    leave: (moved) => leave(connection, endings, moved),
    close,
  };
}

function refuseNew(): never {
  throw new ConfigError(['ORB_STATE_DIR: its store has no installation; start a server on it first']);
}

function rowsOf(connection: Connection, sql: string) {
  return connection.prepare(sql).all();
}

function identityOf(connection: Connection): SourceIdentity {
  const [row] = rowsOf(connection, 'SELECT installation, sealed_check, created_at FROM kernel_installation');
  const applied = rowsOf(
    connection,
    `SELECT store, number, sha256, applied_at FROM kernel_migrations WHERE store <> 'kernel' ORDER BY store, number`,
  );
  return {
    installation: String(row?.['installation']),
    sealedCheck: row?.['sealed_check'] as Uint8Array,
    createdAt: String(row?.['created_at']),
    migrations: applied.map(({ store, number, sha256, applied_at }) => [
      ...([String(store), Number(number), String(sha256), String(applied_at)] as const),
    ]),
  };
}

function tablesOf(connection: Connection, path: string): readonly SourceTable[] {
  return moduleTables(connection).map((name) => {
    const described = columnsOf(connection, name);
    const columns = described.map((column) => String(column['name']));
    const kinds = described.map(({ type }) => String(type));
    return { name, columns, kinds, rows: () => readRows(path, name, columns) };
  });
}

function ownersIn(connection: Connection, tables: readonly SourceTable[]): readonly NodeIdentity[] {
  const owned = tables.filter(({ columns }) => ['node', 'incarnation'].every((column) => columns.includes(column)));
  const found = owned.flatMap(({ name }) =>
    rowsOf(connection, `SELECT DISTINCT node, incarnation FROM ${name} WHERE incarnation IS NOT NULL`),
  );
  const nodes = new Map(found.map(({ incarnation, node }) => [String(incarnation), String(node)]));
  return [...nodes].map(([incarnation, name]) => ({ name, incarnation }));
}

function leave(connection: Connection, endings: readonly string[], moved: Moved): void {
  connection.prepare('BEGIN IMMEDIATE').run();
  try {
    for (const sql of endings) connection.prepare(sql).run();
    markMoved(connection, moved);
    connection.prepare('COMMIT').run();
  } catch (error) {
    connection.prepare('ROLLBACK').run();
    throw error;
  }
}
