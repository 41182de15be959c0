import { join } from 'node:path';
import { ConfigError, given, openReading, storeFile, takeLock } from '../../../kernel/engine.ts';
import type { PostgresAddress } from '../connection/address.ts';
import { checkSettings, checkTogether, openIdentity } from '../tables/identity.ts';
import { whileOthersWait } from '../tables/migration.ts';
import { markMoving, readMoving } from '../tables/moving.ts';
import { ownerOf } from '../tables/rights.ts';
import { ask, openSession, type Session } from '../connection/session.ts';
import type { SourceIdentity } from './source.ts';

/** What a database holds that a store is to be moved to. */
export interface TargetState {
  readonly tables: readonly string[];
  /** Absent: it holds no store. */
  readonly installation?: string;
  /** Id of the move that fills it. */
  readonly move?: string;
}

/**
 * Does work on the database, while no server can start on the state dir. Throws ConfigError when one runs on it, or the
 * database cannot be opened, or cannot keep what it is told.
 */
export async function withTarget<T>(
  address: PostgresAddress,
  stateDir: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const lock = takeLock(stateDir);
  let session: Session | undefined;
  try {
    session = await openSession(ownerOf(address), 'upgrade').catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ConfigError([`ORB_STORE_URL: ${address.shown} cannot be opened: ${reason}`]);
    });
    await checkSettings(session, address.shown);
    return await work(session);
  } finally {
    await session?.close().catch(() => undefined);
    lock.release();
  }
}

/** Reads the installation of the store in the file of a state dir. */
export function installationIn(stateDir: string): string {
  const database = openReading(join(stateDir, storeFile));
  try {
    return String(database.prepare('SELECT installation FROM kernel_installation').get()?.['installation']);
  } finally {
    database.close();
  }
}

/** Looks at what the database holds. */
export async function lookAt(session: Session): Promise<TargetState> {
  const found = await ask(
    session,
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
  );
  // The table of the migrations is made before a transaction begins: by itself it is nothing.
  const tables = found.map(({ name }) => String(name)).filter((name) => name !== 'kernel_migrations');
  if (!tables.includes('kernel_installation')) return { tables };
  const [row] = await ask(session, 'SELECT installation FROM kernel_installation');
  const move = tables.includes('kernel_moving') ? await readMoving(session) : undefined;
  return given({ tables, installation: row && String(row['installation']), move });
}

/** What beginning to fill a database needs. */
export interface Beginning {
  readonly shown: string;
  readonly move: string;
  readonly masterKey: Uint8Array;
  readonly now: number;
  readonly identity: SourceIdentity;
}

/**
 * Makes the tables of the kernel and marks the database: until the mark is removed, servers do not start on it. What an
 * earlier move of this store left there is dropped. Throws ConfigError, and changes nothing, when it holds anything
 * else.
 */
export async function beginFilling(session: Session, beginning: Beginning): Promise<void> {
  const { identity, masterKey, move, now, shown } = beginning;
  const { createdAt, installation, sealedCheck } = identity;
  await whileOthersWait(session, async () => {
    const state = await lookAt(session);
    if (state.move !== undefined && state.installation === installation) await dropAll(session, state.tables);
    else refuseUnlessEmpty(state, identity, shown);
    await openIdentity(session, { masterKey, now, newInstallation: () => installation });
    await ask(session, 'UPDATE kernel_installation SET sealed_check = ?, created_at = ?', [sealedCheck, createdAt]);
    await markMoving(session, move);
  });
  await checkTogether(session, shown);
}

// It is unused, because it has the mark. Its table of migrations is locked by this transaction, and stays.
async function dropAll(session: Session, tables: readonly string[]): Promise<void> {
  for (const table of tables) await ask(session, `DROP TABLE "${table.replaceAll('"', '""')}"`);
  await ask(session, `DELETE FROM kernel_migrations WHERE store <> ''`);
}

function refuseUnlessEmpty({ installation, move, tables }: TargetState, source: SourceIdentity, shown: string): void {
  const [first] = tables;
  if (first === undefined) return;
  const holds =
    installation === source.installation
      ? 'holds the store of this installation already'
      : move !== undefined
        ? 'is being filled by a move of another store'
        : `is not empty: it has ${tables.length === 1 ? `the table ${first}` : `${tables.length} tables, as ${first}`}`;
  throw new ConfigError([`ORB_STORE_URL: ${shown} ${holds}; name an empty database. Nothing was changed`]);
}
