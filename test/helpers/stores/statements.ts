import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import type { Connection, Operations, StoreModule, WriterScope } from '../../../kernel/index.ts';
import { builtinStores } from '../../../plugins/stores.ts';
import { claimTexts } from '../../../kernel/store/sql/claim.ts';
import { Committer } from '../../../kernel/store/sqlite/committer.ts';
import { openReading, openScratch, openWriting, type Database } from '../../../kernel/store/sqlite/database.ts';
import { openIdentity } from '../../../kernel/store/sqlite/head.ts';
import { migrate } from '../../../kernel/store/sqlite/migration.ts';
import { createSealer } from '../../../kernel/store/sealer.ts';
import ingestionStore from '../../../plugins/ingestion/store.ts';
import receiptsStore from '../../../plugins/receipts/store.ts';
import { lists, subsets, type FullList } from './lists.ts';
import { connectionOf } from './memory.ts';

/** A statement of a store module. */
export interface Prepared {
  readonly store: string;
  readonly sql: string;
}

/** A migrated database in memory. */
export function migrated({ migrations }: Pick<StoreModule, 'migrations'>): Driver.Database {
  const driver = new Driver(':memory:');
  for (const migration of migrations) driver.exec(migration);
  return driver;
}

/**
 * Lists the statements of the kernel and of the shipped modules: what they prepare at start, and what they prepare
 * later, by every combination of filters. Begin and end of transactions belong to the engine, as does the catalog of
 * its tables.
 */
export async function shippedStatements(): Promise<readonly Prepared[]> {
  const started: Prepared[] = [];
  for (const module of builtinStores)
    for (const sql of await startStatements(module)) started.push({ store: module.name, sql });
  const all = [
    ...kernelStore(({ texts }) => texts.map((sql) => ({ store: 'kernel', sql }))),
    ...started,
    ...lists.flatMap((list) => listStatements(list).map((sql) => ({ store: list.store.name, sql }))),
  ];
  const texts = new Map(all.map((one) => [one.sql, one]));
  const ofEngine = /^(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b|\bsqlite_master\b/;
  return [...texts.values()].filter(({ sql }) => !ofEngine.test(sql));
}

/** Calls `use` with the migrated database of the kernel and of each shipped module. */
export function eachShippedDatabase(use: (database: Database) => void): void {
  kernelStore(({ path }) => {
    const database = openReading(path);
    use(database);
    database.close();
  });
  for (const { migrations } of builtinStores) {
    const database = openScratch();
    for (const migration of migrations) database.execute(migration);
    use(database);
    database.close();
  }
}

/** Lists what a module prepares when its reads and writes are opened, and at calls that each prepare their own. */
async function startStatements(module: StoreModule<Operations, unknown>): Promise<readonly string[]> {
  const seen = new Set<string>();
  const driver = migrated(module);
  const connection = connectionOf(driver, (sql) => {
    seen.add(sql);
    return sql;
  });
  const stateDir = mkdtempSync(join(tmpdir(), 'orb-statements-'));
  try {
    const { open, operations } = module.write(scopeOf(connection, stateDir));
    await open?.({ guard: () => undefined });
    module.read(connection);
    if (module.name === ingestionStore.name) {
      operations['freeLeases']?.(null as never, {
        defer: () => undefined,
        claim: () => undefined,
        guard: () => undefined,
        tell: () => undefined,
        time: () => 0,
      });
      const { incidents } = ingestionStore.read(connection);
      incidents.between('', '');
      for (const kind of ['component', 'provider', 'orb'] as const) incidents.between('', '', { kind, id: 'x' });
    }
    if (module.name === receiptsStore.name) laterReceipts(connection);
  } finally {
    rmSync(stateDir, { recursive: true });
  }
  driver.close();
  for (const { take, dependents, found } of (module.claims ?? []).map(claimTexts))
    for (const text of [take, ...dependents, found]) seen.add(text);
  return [...seen];
}

function laterReceipts(connection: Connection): void {
  const reads = receiptsStore.read(connection);
  reads.auditPlaces();
  reads.owners();
  reads.failing();
  const filters = { tenant: 'x', orbiset_id: 'x', orb_id: 'x', from: '2026-11-21', to: '2026-11-22' };
  for (const status of ['failed', 'completed'])
    for (const filter of subsets({ ...filters, status })) reads.exportRows(1, filter, { from: 0, to: 1, limit: 1 });
}

function scopeOf(connection: Connection, stateDir: string): WriterScope {
  const installation = 'ins_01M84QNPBZ8XVBP5D81A86FBEZ';
  let made = 0;
  return {
    ...{ connection, installation, stateDir, version: '0.1.0', now: () => 0 },
    node: { name: 'node-1', incarnation: '0123456789abcdef' },
    shared: false,
    ulid: () => `01M84QNPBZ8XVBP5D81A86${String(1000 + made++)}`,
    sealer: createSealer(Buffer.alloc(32, 1), installation),
  };
}

function inFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'orb-statements-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface KernelStore {
  readonly path: string;
  /** The statements that the kernel prepares for its own tables. */
  readonly texts: readonly string[];
}

function kernelStore<T>(use: (store: KernelStore) => T): T {
  return inFolder((folder) => {
    const texts = new Set<string>();
    const path = join(folder, 'store.db');
    const opened = openWriting(path);
    const database: Database = {
      ...opened,
      prepare(sql) {
        texts.add(sql);
        return opened.prepare(sql);
      },
    };
    const { head } = openIdentity(database, {
      ...{ masterKey: Buffer.alloc(32, 1), now: 0, newInstallation: () => 'ins_01M84QNPBZ8XVBP5D81A86FBEZ' },
      migrate: (kernel) => migrate(database, kernel, 0),
    });
    new Committer(database, head, []);
    opened.close();
    return use({ path, texts: [...texts] });
  });
}

// A list goes along the index that reaches furthest back: each is the furthest once.
function listStatements({ open, rare, usual }: Pick<FullList, 'open' | 'rare' | 'usual'>): readonly string[] {
  const seen = new Set<string>();
  const floors = new Set<string>();
  let furthest: string | undefined;
  const list = open({
    prepare(sql) {
      seen.add(sql);
      const isFloor = sql.includes('OFFSET');
      if (isFloor) floors.add(sql);
      return {
        queue: () => undefined,
        must: () => undefined,
        run: () => 0,
        get: () => (isFloor && sql !== furthest ? { id: '0' } : undefined),
        all: () => [],
      };
    },
  });
  const askAll = (): void => [...subsets(rare), ...subsets(usual)].forEach((filters) => list(filters));
  askAll();
  for (furthest of floors) askAll();
  return [...seen];
}
