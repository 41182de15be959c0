import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '../../error.ts';
import { timestamp } from '../../tools/clock.ts';
import { checkKnown, sha256, type Migrations } from '../sql/applied.ts';
import { Refused } from './flush.ts';
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
 * Brings the tables of all stores to what this program knows, in one transaction; others that start wait for it. A store
 * that is not there yet is made as its migrations on SQLite leave it.
 * Throws ConfigError, and changes nothing, when an applied text was changed or is unknown to this program.
 */
export async function migrateAll(session: Session, stores: readonly Migrations[], now: number): Promise<void> {
  await createRecord(session);
  await session.flush([bind('BEGIN', [])]);
  try {
    await session.flush([
      bind(
        `INSERT INTO kernel_migrations (store, number, sha256, applied_at) VALUES ('', 0, '', '') ON CONFLICT (store, number) DO NOTHING`,
        [],
      ),
      bind(`SELECT number FROM kernel_migrations WHERE store = '' FOR UPDATE`, []),
    ]);
    for (const store of stores) await migrateOne(session, store, now);
    await session.flush([bind('COMMIT', [])]);
  } catch (error) {
    await session.flush([bind('ROLLBACK', [])]).catch(() => undefined);
    throw error;
  }
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

async function migrateOne(session: Session, { name, migrations }: Migrations, now: number): Promise<void> {
  const [known] = await session.flush([
    bind('SELECT number, sha256 FROM kernel_migrations WHERE store = ? ORDER BY number', [name]),
  ]);
  const applied = known?.rows ?? [];
  checkKnown(name, migrations, applied);
  const later = migrations.slice(applied.length);
  if (later.length === 0) return;
  const texts =
    applied.length === 0
      ? baselineOf({ name, migrations })
      : later.flatMap((text) => statementsOf(laterMigration(text)));
  await session.flush(texts.map((text) => bind(text, []))).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
    throw new ConfigError([`store ${name}: a migration after number ${applied.length} failed: ${error.message}`]);
  });
  await session.flush([
    ...later.map((text, index) =>
      bind('INSERT INTO kernel_migrations (store, number, sha256, applied_at) VALUES (?, ?, ?, ?)', [
        ...[name, applied.length + index + 1, sha256(text), timestamp(now)],
      ]),
    ),
  ]);
}

// The protocol takes one statement at a time; a semicolon in quoted text ends none.
function statementsOf(text: string): readonly string[] {
  const parts = text.match(/(?:'(?:[^']|'')*'|[^;'])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
