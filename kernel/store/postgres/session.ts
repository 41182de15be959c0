import pg from 'pg';
import type { StoreAddress, Value } from '../contract.ts';
import { flush, SessionLost, type Answered, type Bound } from './flush.ts';

/** One connection to the database; a flush is one transaction. */
export interface Session {
  /** Rejects with Refused, and nothing has happened; or with SessionLost: nobody knows, and the session is over. */
  flush(statements: readonly Bound[]): Promise<readonly Answered[]>;
  /** Ends it without a word: what the server still says is not heard. */
  abandon(): void;
  close(): Promise<void>;
}

const limits = { statement_timeout: 5000, lock_timeout: 2000, connectionTimeoutMillis: 4000, keepAlive: true };
// A client that vanishes holds its locks no longer than this, and a statement waits for those of others no longer.
const writing = { idle_in_transaction_session_timeout: 2000 };
// One that only reads holds no lock, and may rest while it holds a snapshot.
const reading = { options: '-c default_transaction_read_only=on' };
/** An answer that takes longer is not waited for: the connection may be dead without a sign. */
const patienceMs = 4000;

/** Opens a session; the database lets one for reading change nothing. Rejects with the error of the driver. */
export async function openSession({ connect }: StoreAddress, purpose: 'write' | 'read' = 'write'): Promise<Session> {
  const own = purpose === 'write' ? writing : reading;
  const client = new pg.Client({ ...connect, ...limits, ...own, application_name: 'agent-orb' });
  let lost: Error | undefined;
  const lose = (error?: Error): void => void (lost ??= error ?? new Error('the connection to the database has ended'));
  client.on('error', lose);
  client.on('end', () => lose());
  await client.connect();
  const abandon = (): void => {
    lose();
    // The driver's own end would wait for the server.
    (client as unknown as { readonly connection: pg.Connection }).connection.stream.destroy();
  };
  return {
    async flush(statements) {
      if (lost !== undefined) throw new SessionLost(lost.message, { cause: lost });
      const timer = setTimeout(abandon, patienceMs);
      try {
        return await flush(client, statements);
      } finally {
        clearTimeout(timer);
      }
    },
    abandon,
    close: () => client.end(),
  };
}

const names = new Map<string, Pick<Bound, 'name' | 'text'>>();

/** Gives a statement of the stores its values: its places become `$1`, `$2`, …, and its text has one name. */
export function bind(sql: string, values: readonly Value[]): Bound {
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
