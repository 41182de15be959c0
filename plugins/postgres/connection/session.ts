import pg from 'pg';
import { createSerial, type Row, type Value } from '../../../kernel/engine.ts';
import type { PostgresAddress } from './address.ts';
import { copyIn, flush, SessionLost, type Answered, type Bound } from './flush.ts';

/** One connection to the database; a flush is one transaction. */
export interface Session {
  /** Rejects with Refused, and nothing has happened; or with SessionLost: the outcome is unknown, and the session is over. */
  flush(statements: readonly Bound[]): Promise<readonly Answered[]>;
  /** Adds rows to a table, in the binary format of COPY; answers how many. Rejects as `flush` does. */
  copy(into: string, rows: Uint8Array): Promise<number>;
  /** Ends it without a word: what the server still says is not heard. */
  abandon(): void;
  close(): Promise<void>;
}

/** What a session is for: it says how long it may wait. */
export type Purpose = 'write' | 'read' | 'lease' | 'upgrade';

const hourMs = 3_600_000;
// A statement waits for the locks of others no longer than this.
const usual = { statement_timeout: 5000, lock_timeout: 2000 };
// Every statement of a store goes along an index, in its order. What the planner knows of a table is old, or nothing at
// all in a new database, so that it may read the whole table instead: it plans for no such guesses, and for no values.
const alongIndexes = [
  ...['enable_seqscan', 'enable_sort', 'enable_incremental_sort', 'enable_hashjoin', 'enable_mergejoin', 'jit'].map(
    (name) => `-c ${name}=off`,
  ),
  '-c plan_cache_mode=force_generic_plan',
].join(' ');
// Each of its statements is right by itself: it sees the newest rows, and asks again those that another has changed. A
// server that follows another one answers no transaction that is serializable.
const eachAlone = '-c default_transaction_isolation=read\\ committed';
// A client that vanishes holds its locks no longer than this.
const writing = { ...usual, idle_in_transaction_session_timeout: 2000 };
const limits: Readonly<Record<Purpose, pg.ClientConfig>> = {
  write: { ...writing, options: alongIndexes },
  lease: { ...writing, options: `${alongIndexes} ${eachAlone}` },
  // One that only reads holds no lock, and may rest while it holds a snapshot.
  read: { ...usual, options: `${alongIndexes} ${eachAlone} -c default_transaction_read_only=on` },
  // An index of a large table takes minutes, and others that start wait so long.
  upgrade: { statement_timeout: hourMs, lock_timeout: hourMs, idle_in_transaction_session_timeout: 60_000 },
};
/** An answer that takes longer is not waited for: the connection may be dead without a sign. */
const patienceMs: Readonly<Record<Purpose, number>> = { write: 4000, read: 4000, lease: 4000, upgrade: hourMs };

/** Opens a session; the database lets one for reading change nothing. Rejects with the error of the driver. */
export async function openSession(address: PostgresAddress, purpose: Purpose = 'write'): Promise<Session> {
  const { connect, others = [] } = address;
  if (others.length === 0) return openAt(address, purpose);
  let failure: Error = new SessionLost('none of the servers is the primary: connection timeout');
  for (const { host, port = 5432 } of [connect, ...others]) {
    try {
      const session = await openAt({ ...address, connect: { ...connect, host, port } }, purpose);
      if (await isPrimary(session)) return session;
      session.abandon();
    } catch (error) {
      failure = error as Error;
    }
  }
  throw failure;
}

async function isPrimary(session: Session): Promise<boolean> {
  const [row] = await ask(session, 'SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END AS follows');
  return Number(row?.['follows']) === 0;
}

async function openAt({ connect, schema }: PostgresAddress, purpose: Purpose): Promise<Session> {
  const { options = '', ...bounds } = limits[purpose];
  const path = schema === undefined ? '' : ` -c search_path=${schema}`;
  const waiting = { ...bounds, options: options + path, connectionTimeoutMillis: 4000, keepAlive: true };
  const client = new pg.Client({ ...connect, ...waiting, application_name: 'agent-orb' });
  let lost: Error | undefined;
  const lose = (error?: Error): void => void (lost ??= error ?? new Error('the connection to the database has ended'));
  client.on('error', lose);
  client.on('end', () => lose());
  const abandon = (): void => {
    lose();
    // The driver's own end would wait for the server.
    (client as unknown as { readonly connection: pg.Connection }).connection.stream.destroy();
  };
  try {
    await client.connect();
  } catch (error) {
    abandon();
    throw error;
  }
  const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (lost !== undefined) throw new SessionLost(lost.message, { cause: lost });
    const timer = setTimeout(abandon, patienceMs[purpose]);
    try {
      return await ask();
    } finally {
      clearTimeout(timer);
    }
  };
  // The driver takes one at a time; its own queue ends with its next version.
  const inTurn = createSerial();
  return {
    flush: (statements) => inTurn(() => patiently(() => flush(client, statements))),
    copy: (into, rows) => inTurn(() => patiently(() => copyIn(client, into, rows))),
    abandon,
    close: () => client.end(),
  };
}

/** Runs one statement, and answers its rows; a transaction of its own unless one is open. Rejects as `flush` does. */
export async function ask(
  session: Pick<Session, 'flush'>,
  sql: string,
  values?: readonly Value[],
): Promise<readonly Row[]> {
  const [answer] = await session.flush([bind(sql, values)]);
  return answer?.rows ?? [];
}

const names = new Map<string, Pick<Bound, 'name' | 'text'>>();

/** Gives a statement of the stores its values: its places become `$1`, `$2`, …, and its text has one name. */
export function bind(sql: string, values: readonly Value[] = []): Bound {
  let known = names.get(sql);
  if (known === undefined) {
    known = { name: `orb_${names.size}`, text: numbered(sql) };
    names.set(sql, known);
  }
  return { ...known, values };
}

/** Numbers the places of a statement: `?` outside of quoted text becomes `$1`, `$2`, …. */
export function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (found) => (found === '?' ? `$${++count}` : found));
}
