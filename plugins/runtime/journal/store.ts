import { inProgress } from './key-lost.ts';
import { listLeft, type Owned, type Owner } from './owner.ts';
import {
  defineStore,
  type Awaitable,
  type Claim,
  type Row,
  type WriteContext,
  type WriterScope,
  replacing,
  rowWriter,
  queriesOf,
} from '../../../kernel/index.ts';
import { asIs } from '../../../kernel/runner.ts';

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
export interface KeyClaim extends KeyName, Owner {
  /** A code of the canonical body: of an HMAC; of earlier builds a SHA-256. */
  readonly fingerprint: string;
  /** The run or swap it began, or another id that no other work has. */
  readonly subject: string;
  /** Milliseconds since the Unix epoch. */
  readonly expires_at: number;
}

/** What is known when a key is claimed or finished. */
interface Taking {
  /** Milliseconds since the Unix epoch: answers that expired before keep no key. */
  readonly now: number;
  /** Subject whose answer keeps the key no longer either. */
  readonly stale?: string | undefined;
}

/** A key that is claimed with the first intent of its run. */
export type RunTaking = Taking & { readonly claim: KeyClaim; readonly intent: Intent };

/** A key with its answer, sealed; without an answer its work is not finished. */
export interface KeyRow extends Owned<KeyClaim> {
  readonly answer: Uint8Array | null;
}

/** The intent of a run: its fact if the process dies during the attempt that begins now. */
export interface Intent extends Owner {
  readonly run_id: string;
  readonly fact: string;
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
  `ALTER TABLE journal_runs ADD COLUMN node TEXT;
   ALTER TABLE journal_runs ADD COLUMN incarnation TEXT;
   ALTER TABLE journal_keys ADD COLUMN node TEXT;
   ALTER TABLE journal_keys ADD COLUMN incarnation TEXT;`,
];

// The first four are the key.
const keyColumns = [
  ...['principal', 'method', 'path', 'key', 'fingerprint', 'subject', 'expires_at', 'answer'],
  ...['node', 'incarnation'],
];
const nameColumns = keyColumns.slice(0, 4);
const runColumns = ['run_id', 'fact', 'node', 'incarnation'] as const;

// Work whose end is unknown is never begun again: it may have been done.
const givenUp = 'journal_keys.answer IS NOT NULL AND (journal_keys.expires_at <= ? OR journal_keys.subject = ?)';
const keyClaim: Claim = {
  ...{ table: 'journal_keys', columns: keyColumns, key: nameColumns, holder: 'subject', givenUp },
};
const runClaim: Claim = { ...keyClaim, dependents: [{ table: 'journal_runs', columns: runColumns }] };

const givenUpBy = ({ now, stale = '' }: Taking) => [now, stale] as const;

/** Intents of runs under way, and idempotency keys with their answers. */
export default defineStore({
  name: 'journal',
  seals: ['idempotency', 'repeat'],
  migrations,
  claims: [keyClaim, runClaim],
  write: (scope) => ({ operations: { ...runWrites(scope), ...keyWrites(scope), ...repeatWrites(scope) } }),
  read(connection) {
    const { among, each } = queriesOf(connection);
    const byName = `SELECT ${keyColumns.join(', ')} FROM journal_keys
       WHERE principal = ? AND method = ? AND path = ? AND key = ?`;
    const find = connection.prepare(byName);
    const findEach = each<KeyRow, readonly [string, string, string, string]>(byName, asIs);
    const repeat = connection.prepare(
      `SELECT ${keyColumns.join(', ')} FROM journal_keys WHERE subject = ? AND method = 'repeat'`,
    );
    return {
      /** The intents that a process left, oldest run first. */
      openRuns: listLeft<OpenRunRow>(connection, {
        ...{ select: 'SELECT run_id, fact FROM journal_runs WHERE TRUE', order: 'run_id', read: asIs },
      }),
      findKey: (name: KeyName) => find.get(...nameOf(name)) as (Row & KeyRow) | undefined,
      findKeys: (names: readonly KeyName[]) => findEach(names.map(nameOf)),
      /** Finds the implicit key whose call a run is. */
      repeatOf: (runId: string) => repeat.get(runId) as (Row & KeyRow) | undefined,
      /** The keys without a result of some runs or swaps, of any caller. */
      openKeysOf: among<KeyRow>(
        `SELECT ${keyColumns.join(', ')} FROM (SELECT ${keyColumns.join(', ')} FROM journal_keys WHERE answer IS NULL)
           AS waiting`,
        'subject',
        asIs,
      ),
      /** The keys without an answer that a process left. */
      openKeys: listLeft<KeyRow>(connection, {
        select: `SELECT ${keyColumns.join(', ')} FROM journal_keys WHERE answer IS NULL`,
        ...{ order: 'subject', read: asIs },
      }),
    };
  },
});

/** A key, and the run or swap that has it. */
type Work = KeyName & { readonly subject: string };

const nameOf = ({ principal, method, path, key }: KeyName) => [principal, method, path, key] as const;

type Scope = Pick<WriterScope, 'connection' | 'sealer'>;

const places = (columns: readonly string[]) => columns.map(() => '?').join(', ');

function runWrites({ connection, sealer }: Scope) {
  const begin = rowWriter(connection, 'journal_runs', runColumns);
  const renew = connection.prepare('UPDATE journal_runs SET fact = ? WHERE run_id = ?');
  const close = connection.prepare('DELETE FROM journal_runs WHERE run_id = ?');
  const sealed = (fact: string): Uint8Array => sealer.seal('inputs', Buffer.from(fact));
  const claimRun = ({ claim, intent, ...taking }: RunTaking, write: WriteContext): Awaitable<Row | undefined> => {
    const dependents = [{ ...intent, fact: sealed(intent.fact) }];
    return write.claim(runClaim, { row: { ...claim, answer: null }, givenUp: givenUpBy(taking), dependents });
  };
  return {
    /** Stores the first intent of a run, sealed at rest. */
    intend: (intent: Intent): void => begin({ ...intent, fact: sealed(intent.fact) }),
    /** Replaces the intent of a run before its next attempt. Fails when the run was settled meanwhile. */
    renewIntent({ run_id, fact }: Pick<Intent, 'run_id' | 'fact'>): void {
      renew.must(sealed(fact), run_id);
    },
    /** Claims a key with the first intent of its run, both or neither; answers as `claimKey` does. */
    claimRun,
    /** Does the same; fails, with all that is written beside it, when the key is somebody else's. */
    async claimRunOrFail(taking: RunTaking, write: WriteContext): Promise<void> {
      const row = await claimRun(taking, write);
      if (row !== undefined) throw inProgress(String(row['subject']));
    },
    /** Ends the intents of a run; commits with its receipt. Fails when the run was settled already. */
    closeRun({ run_id }: { run_id: string }): void {
      close.must(run_id);
    },
  };
}

function keyWrites({ connection, sealer }: Scope) {
  const put = connection.prepare(
    `INSERT INTO journal_keys (${keyColumns.join(', ')}) VALUES (${places(keyColumns)})
     ${replacing(nameColumns, keyColumns)} WHERE journal_keys.subject = excluded.subject OR ${givenUp}`,
  );
  // Another node may claim a key again meanwhile: so the row is asked again. Without `+ 0` all that is due would be.
  const erase = connection.prepare(
    `DELETE FROM journal_keys WHERE (principal, method, path, key) IN (
       SELECT principal, method, path, key FROM journal_keys WHERE expires_at <= ? AND answer IS NOT NULL
       ORDER BY expires_at LIMIT ?) AND answer IS NOT NULL AND expires_at + 0 <= ?`,
  );
  const ofWork = 'DELETE FROM journal_keys WHERE principal = ? AND method = ? AND path = ? AND key = ? AND subject = ?';
  const free = connection.prepare(ofWork);
  const freeIdle = connection.prepare(`${ofWork} AND answer IS NULL`);
  const freeAnswered = connection.prepare(`${ofWork} AND answer IS NOT NULL`);
  return {
    /** Claims a key for the work that begins now; answers the row that has it when it is somebody else's. */
    claimKey({ claim, ...taking }: Taking & { claim: KeyClaim }, write: WriteContext) {
      return write.claim(keyClaim, { row: { ...claim, answer: null }, givenUp: givenUpBy(taking) });
    },
    /** Stores the answer of a key, sealed at rest. Fails when the key is the one of other work. */
    finishKey({ answer, ...claim }: Owned<KeyClaim> & Taking & { answer: string }): void {
      const { fingerprint, subject, expires_at, node = null, incarnation = null } = claim;
      const sealed = sealer.seal('idempotency', Buffer.from(answer));
      const row = [...nameOf(claim), fingerprint, subject, expires_at, sealed, node, incarnation];
      put.must(...row, ...givenUpBy(claim));
    },
    /** Frees a key, if it is still the one of this work: nothing was sent. */
    freeKey: (work: Work): void => free.queue(...nameOf(work), work.subject),
    /** Frees a key of work that left no trace, unless it got its answer meanwhile. */
    freeIdleKey: (work: Work): void => freeIdle.queue(...nameOf(work), work.subject),
    /** Frees a key whose answer has arrived; one whose answer is not stored yet stays. */
    freeAnsweredKey: (work: Work): void => freeAnswered.queue(...nameOf(work), work.subject),
    /** Erases expired keys, at most so many; answers how many. A key without an answer stays until its work has one. */
    eraseKeys({ most, now }: { readonly now: number; readonly most: number }): Awaitable<number> {
      return erase.run(now, most, now);
    },
  };
}

function repeatWrites({ connection, sealer }: Scope) {
  const free = connection.prepare("DELETE FROM journal_keys WHERE subject = ? AND method = 'repeat'");
  const settle = connection.prepare(
    "UPDATE journal_keys SET answer = ?, expires_at = ? WHERE subject = ? AND method = 'repeat'",
  );
  const deliver = connection.prepare(
    `UPDATE journal_keys SET expires_at = ? WHERE principal = ? AND method = ? AND path = ? AND key = ? AND subject = ?
       AND answer IS NOT NULL AND expires_at > ?`,
  );
  const freeDelivered = connection.prepare(
    `DELETE FROM journal_keys WHERE principal = ? AND method = ? AND path = ? AND key <> ? AND answer IS NOT NULL
       AND expires_at + 0 <= ?`,
  );
  return {
    /** Notes that an answer was handed over whole: its key expires then, unless it does before. */
    deliverKey({ expires_at, ...work }: Work & { expires_at: number }): void {
      deliver.queue(expires_at, ...nameOf(work), work.subject, expires_at);
    },
    /** Frees the other keys under the same path that expire at this time at the latest: their answers have arrived. */
    freeDeliveredKeys({ expires_at, ...name }: KeyName & { expires_at: number }): void {
      freeDelivered.queue(...nameOf(name), expires_at);
    },
    /** Frees the implicit key of a run that was settled as not done. */
    freeRepeats({ run_id }: { run_id: string }): void {
      free.queue(run_id);
    },
    /** Replaces the answer of the implicit key of a run that was settled as done. */
    settleRepeats({ run_id, answer, expires_at }: { run_id: string; answer: string; expires_at: number }): void {
      settle.queue(sealer.seal('idempotency', Buffer.from(answer)), expires_at, run_id);
    },
  };
}
