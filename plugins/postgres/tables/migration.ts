import { setTimeout as delay } from 'node:timers/promises';
import {
  checkKnown,
  ConfigError,
  sha256,
  timestamp,
  type Migrations,
  type Row,
  type UpgradeStep,
} from '../../../kernel/engine.ts';
import { isLocked, isPassing, repeated } from '../connection/fault.ts';
import { Refused, type Bound } from '../connection/flush.ts';
import { baselineOf, laterMigration } from './schema.ts';
import { ask, bind, type Session } from '../connection/session.ts';

const record = `
  CREATE TABLE IF NOT EXISTS kernel_migrations (
    store text COLLATE "C" NOT NULL, number bigint NOT NULL, sha256 text NOT NULL, applied_at text NOT NULL,
    PRIMARY KEY (store, number))`;

// Two that create the same table at once: one of them breaks a rule of the catalog, and finds the table when it looks again.
const created = new Set(['23505', '42P07', '42710']);
const attempts = 50;

// A change of a table waits for all that use it, such as a dump, and all that come later wait for the change: nodes that
// serve wait two seconds for a lock. So it waits for less, and tries again after a pause in which they go on.
const lockMs = 1000;
const pauseMs = 3000;
const patienceMs = 3_600_000;

/**
 * Does work in one transaction; others that start wait for it. If the work throws, it is rolled back. It is done again
 * when another transaction disturbed it, or has a lock.
 */
export async function whileOthersWait<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await createRecord(session);
  const until = performance.now() + patienceMs;
  for (let attempt = 1; ;) {
    try {
      return await inTransaction(session, work);
    } catch (error) {
      const locked = isLocked(error);
      const isLast = locked ? performance.now() > until : attempt++ === attempts;
      if (isLast || !isPassing(error)) throw error;
      await delay(locked ? pauseMs : 20);
    }
  }
}

async function inTransaction<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await ask(session, 'BEGIN');
  try {
    await session.flush([
      bind(
        `INSERT INTO kernel_migrations (store, number, sha256, applied_at) VALUES ('', 0, '', '') ON CONFLICT (store, number) DO NOTHING`,
      ),
      bind(`SELECT number FROM kernel_migrations WHERE store = '' FOR UPDATE`),
      bind(`SET LOCAL lock_timeout = ${lockMs}`),
    ]);
    const done = await work();
    await ask(session, 'COMMIT');
    return done;
  } catch (error) {
    await ask(session, 'ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** What applying migrations needs. */
export interface MigrateOptions {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Called before each migration of a store that has data. */
  tell?(step: UpgradeStep): void;
}

/** What bringing one store further needs. */
export interface MigrateOneOptions extends Pick<MigrateOptions, 'now'> {
  /** Makes the statements of a store that is not there yet; default: as its migrations on SQLite leave it. */
  first?(store: Migrations): readonly string[];
  /** Number of the last migration; default: all. A store that is not there yet gets all. */
  readonly upTo?: number;
}

/**
 * Brings the tables of stores to what this program knows, each migration in a transaction of its own: no lock of one is
 * held while another works or waits. What is done when it ends early stays, as when a newer program starts next to older
 * ones; the next start goes on. Those that a newer program has brought further stay too. Throws ConfigError when an
 * applied text was changed, or a migration fails.
 */
export async function migrateAll(
  session: Session,
  stores: readonly Migrations[],
  { now, tell = () => undefined }: MigrateOptions,
): Promise<void> {
  await createRecord(session);
  const known = await session.flush(stores.map(({ name }) => appliedOf(name)));
  const steps = stores.flatMap((store, index) => {
    const applied = checked(store, known[index]?.rows ?? []);
    const numbers = store.migrations.map((_, before) => before + 1);
    // A store that is not there yet is made in one step.
    const ends = applied === 0 ? numbers.slice(-1) : numbers.slice(applied);
    return ends.map((upTo) => ({ store, upTo, upgrades: applied > 0 }));
  });
  let left = steps.filter(({ upgrades }) => upgrades).length;
  for (const { store, upTo, upgrades } of steps) {
    if (upgrades) tell({ store: store.name, migration: upTo, left: left-- });
    await whileOthersWait(session, () => migrateOne(session, store, { now, upTo }));
  }
}

/**
 * Brings the tables of one store up to a migration, inside the transaction of `whileOthersWait`. Throws ConfigError as
 * `migrateAll` does.
 */
export async function migrateOne(
  session: Session,
  store: Migrations,
  { now, first = baselineOf, upTo = store.migrations.length }: MigrateOneOptions,
): Promise<void> {
  const [known] = await session.flush([appliedOf(store.name)]);
  const applied = checked(store, known?.rows ?? []);
  const { migrations, name } = store;
  const later = migrations.slice(applied, upTo);
  if (later.length === 0) return;
  const texts = applied === 0 ? [first(store)] : later.map((text) => statementsOf(laterMigration(text)));
  for (const [index, statements] of texts.entries()) await run(session, name, applied + index, statements);
  await session.flush(
    later.map((text, index) =>
      bind('INSERT INTO kernel_migrations (store, number, sha256, applied_at) VALUES (?, ?, ?, ?)', [
        ...[name, applied + index + 1, sha256(text), timestamp(now)],
      ]),
    ),
  );
}

/** Counts the migrations that are applied. Throws ConfigError when one was changed since. */
function checked({ migrations, name }: Migrations, applied: readonly Row[]): number {
  // A newer program may have brought them further: it changes them so that those from its `min_program` on can serve.
  checkKnown(name, migrations, applied.slice(0, migrations.length));
  return applied.length;
}

async function createRecord(session: Session): Promise<void> {
  // A role that may create nothing serves what another role has made.
  const [found] = await ask(session, `SELECT CAST(to_regclass('kernel_migrations') AS text) AS record`);
  if (typeof found?.['record'] === 'string') return;
  const isMade = (error: unknown): boolean => error instanceof Refused && created.has(error.code);
  await repeated(attempts, () => ask(session, record), isMade);
}

function appliedOf(store: string): Bound {
  return bind('SELECT number, sha256 FROM kernel_migrations WHERE store = ? ORDER BY number', [store]);
}

async function run(session: Session, store: string, after: number, texts: readonly string[]): Promise<void> {
  await session.flush(texts.map((text) => bind(text, []))).catch((error: unknown) => {
    if (!(error instanceof Refused) || isPassing(error)) throw error;
    throw new ConfigError([`store ${store}: a migration after number ${after} failed: ${error.message}`]);
  });
}

/** Parts a text into its statements: the protocol takes one at a time. A semicolon in quoted text ends none. */
export function statementsOf(text: string): readonly string[] {
  const parts = text.match(/(?:'(?:[^']|'')*'|[^;'])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
