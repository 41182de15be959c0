import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '../../error.ts';
import { timestamp } from '../../tools/clock.ts';
import type { Row } from '../contract.ts';
import type { UpgradeStep } from '../message.ts';
import { checkKnown, sha256, type Migrations } from '../sql/applied.ts';
import { isPassing } from './fault.ts';
import { Refused, type Bound } from './flush.ts';
import { baselineOf, laterMigration } from './schema.ts';
import { bind, type Session } from './session.ts';

const record = `
  CREATE TABLE IF NOT EXISTS kernel_migrations (
    store text COLLATE "C" NOT NULL, number bigint NOT NULL, sha256 text NOT NULL, applied_at text NOT NULL,
    PRIMARY KEY (store, number))`;

// Two that create the same table at once: one of them breaks a rule of the catalog, and finds the table when it looks again.
const created = new Set(['23505', '42P07', '42710']);
const attempts = 50;

/**
 * Does work in one transaction; others that start wait for it. When the work throws, nothing of it stays. It is done again
 * when another transaction disturbed it.
 */
export async function whileOthersWait<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await createRecord(session);
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(session, work);
    } catch (error) {
      if (!isPassing(error) || attempt === attempts) throw error;
      await delay(20);
    }
  }
}

async function inTransaction<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await session.flush([bind('BEGIN', [])]);
  try {
    await session.flush([
      bind(
        `INSERT INTO kernel_migrations (store, number, sha256, applied_at) VALUES ('', 0, '', '') ON CONFLICT (store, number) DO NOTHING`,
        [],
      ),
      bind(`SELECT number FROM kernel_migrations WHERE store = '' FOR UPDATE`, []),
    ]);
    const done = await work();
    await session.flush([bind('COMMIT', [])]);
    return done;
  } catch (error) {
    await session.flush([bind('ROLLBACK', [])]).catch(() => undefined);
    throw error;
  }
}

/** What applying migrations needs. */
export interface MigrateOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Called before each migration of a store that has data. */
  tell?(step: UpgradeStep): void;
  /** Makes the statements of a store that is not there yet; default: as its migrations on SQLite leave it. */
  first?(store: Migrations): readonly string[];
}

/**
 * Brings the tables of stores to what this program knows, inside the transaction of `whileOthersWait`.
 * Those that a newer program has brought further stay. Throws ConfigError when an applied text was changed, or a
 * migration fails.
 */
export async function migrateAll(
  session: Session,
  stores: readonly Migrations[],
  { now, tell = () => undefined, first = baselineOf }: MigrateOptions,
): Promise<void> {
  const known = await session.flush(stores.map(({ name }) => appliedOf(name)));
  const upgraded = stores.map(({ migrations }, index) => {
    const applied = known[index]?.rows.length ?? 0;
    return applied === 0 ? 0 : Math.max(0, migrations.length - applied);
  });
  let left = upgraded.reduce((sum, count) => sum + count, 0);
  for (const [index, store] of stores.entries())
    await migrateOne(session, store, known[index]?.rows ?? [], {
      ...{ now, first },
      tell: (step) => tell({ ...step, left: left-- }),
    });
}

async function createRecord(session: Session): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await session.flush([bind(record, [])]);
      return;
    } catch (error) {
      if (!(error instanceof Refused) || !created.has(error.code) || attempt === attempts) throw error;
      await delay(20);
    }
  }
}

function appliedOf(store: string): Bound {
  return bind('SELECT number, sha256 FROM kernel_migrations WHERE store = ? ORDER BY number', [store]);
}

async function migrateOne(
  session: Session,
  { name, migrations }: Migrations,
  applied: readonly Row[],
  { first, now, tell }: Required<MigrateOptions>,
): Promise<void> {
  // A newer program may have brought them further: it changes them so that those from its `min_program` on can serve.
  checkKnown(name, migrations, applied.slice(0, migrations.length));
  const later = migrations.slice(applied.length);
  if (later.length === 0) return;
  if (applied.length === 0) await run(session, name, 0, first({ name, migrations }));
  else
    for (const [index, text] of later.entries()) {
      const migration = applied.length + index + 1;
      tell({ store: name, migration, left: 0 });
      await run(session, name, migration - 1, statementsOf(laterMigration(text)));
    }
  await session.flush(
    later.map((text, index) =>
      bind('INSERT INTO kernel_migrations (store, number, sha256, applied_at) VALUES (?, ?, ?, ?)', [
        ...[name, applied.length + index + 1, sha256(text), timestamp(now)],
      ]),
    ),
  );
}

async function run(session: Session, store: string, after: number, texts: readonly string[]): Promise<void> {
  await session.flush(texts.map((text) => bind(text, []))).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
    throw new ConfigError([`store ${store}: a migration after number ${after} failed: ${error.message}`]);
  });
}

/** Parts a text into its statements: the protocol takes one at a time. A semicolon in quoted text ends none. */
export function statementsOf(text: string): readonly string[] {
  const parts = text.match(/(?:'(?:[^']|'')*'|[^;'])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
