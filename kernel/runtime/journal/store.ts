import { defineStore, type Awaitable, type Row } from '../../store/contract.ts';
import { replacing } from '../../store/column.ts';
import { asIs, queriesOf } from '../../store/query.ts';

/** In place of a method: the key is that of a call, which no caller can send. */
export const repeatMethod = 'repeat';

/** A caller's key: unique by all four members. */
export interface KeyName {
  readonly principal: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
}

/** A key whose work began, before its answer is known. */
export interface KeyClaim extends KeyName {
  /** A code of the canonical body: of an HMAC; of earlier builds a SHA-256. */
  readonly fingerprint: string;
  /** The run or swap it began. */
  readonly subject: string;
  /** Milliseconds since the Unix epoch. */
  readonly expires_at: number;
}

/** A key with its answer, sealed; without an answer its work is not finished. */
export interface KeyRow extends KeyClaim {
  readonly answer: Uint8Array | null;
}

/** A run between its first intent and its receipt: its fact if the process dies now, sealed. */
export interface OpenRunRow {
  readonly run_id: string;
  readonly fact: Uint8Array;
}

const migrations = [
  `CREATE TABLE journal_runs (run_id TEXT PRIMARY KEY, fact BLOB NOT NULL) WITHOUT ROWID;
   CREATE TABLE journal_keys (
     principal TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL,
     subject TEXT NOT NULL, expires_at INTEGER NOT NULL, answer BLOB, PRIMARY KEY (principal, method, path, key)
   ) WITHOUT ROWID;
   CREATE INDEX journal_keys_by_expiry ON journal_keys (expires_at);
   CREATE INDEX journal_keys_open ON journal_keys (subject) WHERE answer IS NULL;`,
  "CREATE INDEX journal_keys_repeats ON journal_keys (subject) WHERE method = 'repeat';",
];

// The first four are the key.
const keyColumns = ['principal', 'method', 'path', 'key', 'fingerprint', 'subject', 'expires_at', 'answer'];

/** Intents of runs under way, and idempotency keys with their answers. */
export default defineStore({
  name: 'journal',
  seals: ['idempotency', 'repeat'],
  migrations,
  write({ connection, sealer }) {
    const intend = connection.prepare(
      `INSERT INTO journal_runs (run_id, fact) VALUES (?, ?) ${replacing(['run_id'], ['fact'])}`,
    );
    const close = connection.prepare('DELETE FROM journal_runs WHERE run_id = ?');
    const put = connection.prepare(
      `INSERT INTO journal_keys (${keyColumns.join(', ')}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ${replacing(keyColumns.slice(0, 4), keyColumns)}`,
    );
    const erase = connection.prepare('DELETE FROM journal_keys WHERE expires_at <= ? AND answer IS NOT NULL');
    const free = connection.prepare(
      'DELETE FROM journal_keys WHERE principal = ? AND method = ? AND path = ? AND key = ?',
    );
    const freeRepeats = connection.prepare("DELETE FROM journal_keys WHERE subject = ? AND method = 'repeat'");
    const settleRepeats = connection.prepare(
      "UPDATE journal_keys SET answer = ?, expires_at = ? WHERE subject = ? AND method = 'repeat'",
    );
    const values = ({ principal, method, path, key }: KeyName) => [principal, method, path, key] as const;
    return {
      operations: {
        /** Stores the fact of a run if the process dies during the attempt that begins now; sealed at rest. */
        intend({ run_id, fact }: { run_id: string; fact: string }): void {
          intend.queue(run_id, sealer.seal('inputs', Buffer.from(fact)));
        },
        /** Ends the intents of a run; commits with its receipt. */
        closeRun({ run_id }: { run_id: string }): void {
          close.queue(run_id);
        },
        /** Claims a key for the work that begins now. */
        claimKey(claim: KeyClaim): void {
          put.queue(...values(claim), claim.fingerprint, claim.subject, claim.expires_at, null);
        },
        /** Stores the answer of a key, sealed at rest. */
        finishKey({ answer, ...claim }: KeyClaim & { answer: string }): void {
          const sealed = sealer.seal('idempotency', Buffer.from(answer));
          put.queue(...values(claim), claim.fingerprint, claim.subject, claim.expires_at, sealed);
        },
        /** Frees a key: nothing was sent. */
        freeKey(name: KeyName): void {
          free.queue(...values(name));
        },
        /** Frees the implicit key of a run that was settled as not done. */
        freeRepeats({ run_id }: { run_id: string }): void {
          freeRepeats.queue(run_id);
        },
        /** Replaces the answer of the implicit key of a run that was settled as done. */
        settleRepeats({ run_id, answer, expires_at }: { run_id: string; answer: string; expires_at: number }): void {
          settleRepeats.queue(sealer.seal('idempotency', Buffer.from(answer)), expires_at, run_id);
        },
        /** Erases expired keys and returns how many. A key without an answer stays until its work has one. */
        eraseKeys({ now }: { now: number }): Awaitable<number> {
          return erase.run(now);
        },
      },
    };
  },
  read(connection) {
    const { list } = queriesOf(connection);
    const find = connection.prepare(
      `SELECT ${keyColumns.join(', ')} FROM journal_keys WHERE principal = ? AND method = ? AND path = ? AND key = ?`,
    );
    return {
      openRuns: list<OpenRunRow, []>('SELECT run_id, fact FROM journal_runs ORDER BY run_id', asIs),
      findKey: ({ principal, method, path, key }: KeyName) =>
        find.get(principal, method, path, key) as (Row & KeyRow) | undefined,
      openKeys: list<KeyRow, []>(`SELECT ${keyColumns.join(', ')} FROM journal_keys WHERE answer IS NULL`, asIs),
    };
  },
});
