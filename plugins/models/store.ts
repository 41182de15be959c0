import {
  defineStore,
  queriesOf,
  replacing,
  rowWriter,
  type AwaitableReads,
  type Connection,
  type WriterScope,
} from '../../kernel/index.ts';

/** What goes back to the vendor of an answer, as it is stored. */
export interface SignatureRow {
  /** A code of the principal and of the first call of a tool of the answer. */
  readonly id: string;
  readonly sealed: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly expires_at: number;
}

const columns = ['id', 'sealed', 'expires_at'] as const;

const tables = `CREATE TABLE models_signatures (
     id TEXT PRIMARY KEY, sealed BLOB NOT NULL, expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX models_signatures_expiry ON models_signatures (expires_at);`;

/** Signatures of thoughts, which clients of the doors may drop. */
export default defineStore({ name: 'models', seals: ['models'], migrations: [tables], write: writing, read: reading });

/** Reads of signatures. */
export type SignatureReads = AwaitableReads<ReturnType<typeof reading>>;

function writing({ connection }: WriterScope) {
  const insert = rowWriter(connection, 'models_signatures', columns, replacing(['id'], columns));
  const erase = connection.prepare(
    `DELETE FROM models_signatures WHERE id IN (
       SELECT id FROM models_signatures WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
  );
  return {
    operations: {
      /** Keeps what belongs to an answer; a later one of the same id takes its place. */
      keep(row: SignatureRow): null {
        insert(row);
        return null;
      },
      /** Erases what has expired, at most so many; answers how many. */
      erase: ({ before, most }: { readonly before: number; readonly most: number }) => erase.run(before, most),
    },
  };
}

function reading(connection: Connection) {
  return {
    /** Finds what is kept under some ids, expired or not. */
    kept: queriesOf(connection).among<SignatureRow>(
      `SELECT ${columns.join(', ')} FROM models_signatures`,
      'id',
      (row) => row as unknown as SignatureRow,
    ),
  };
}
