import { hash } from 'node:crypto';
import {
  whenKnown,
  type Awaitable,
  type Connection,
  type Row,
  type WriteConnection,
} from '../../../../kernel/index.ts';
import { readCheckpoint } from '../pure/note.ts';
import { emptyRoot, hashBytes, hashLeaf, type Sha256, tileWidth, type Tile } from '../pure/tree.ts';

/** Computes SHA-256 with the runtime: same result as the portable one, but faster. */
export const nativeSha256: Sha256 = (data) => hash('sha256', data, 'buffer');

/** One log (shard) as stored. */
export interface LogRow {
  /** Number of the row; its entries, tiles and checkpoints refer to it. */
  readonly log: number;
  readonly shard: string;
  readonly origin: string;
  /** Key id of its log key. */
  readonly kid: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** `frozen`: takes no more entries. */
  readonly status: 'active' | 'frozen';
  /** Its head equals its newest checkpoint, and moves with it. */
  readonly inCheckpoint?: true;
}

/** Tables of the log. Hashes of leaves are stored in full tiles only: other hashes are computed from the entries. */
export const logMigration = `
  CREATE TABLE receipts_logs (
    log INTEGER PRIMARY KEY, shard TEXT NOT NULL UNIQUE, origin TEXT NOT NULL UNIQUE, kid TEXT NOT NULL,
    size INTEGER NOT NULL, root BLOB NOT NULL, status TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE receipts_entries (
    log INTEGER NOT NULL, idx INTEGER NOT NULL, entry BLOB NOT NULL, PRIMARY KEY (log, idx)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE receipts_tiles (
    log INTEGER NOT NULL, level INTEGER NOT NULL, n INTEGER NOT NULL, hashes BLOB NOT NULL, PRIMARY KEY (log, level, n)
  ) STRICT;
  CREATE TABLE receipts_checkpoints (
    log INTEGER NOT NULL, size INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (log, size)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE receipts_receipts ADD COLUMN log INTEGER;
  ALTER TABLE receipts_receipts ADD COLUMN idx INTEGER;
  ALTER TABLE receipts_signing_keys ADD COLUMN origin TEXT;
  ALTER TABLE receipts_signing_keys ADD COLUMN revoked_origin TEXT;
  ALTER TABLE receipts_signing_keys ADD COLUMN revoked_index INTEGER;`;

/** Adds to a log the process that writes it, and the log that it continues: until then each continued the one before. */
export const ownersMigration = `
  ALTER TABLE receipts_logs ADD COLUMN node TEXT;
  ALTER TABLE receipts_logs ADD COLUMN incarnation TEXT;
  ALTER TABLE receipts_logs ADD COLUMN follows TEXT;
  UPDATE receipts_logs SET follows = (SELECT p.origin FROM receipts_logs AS p WHERE p.log = receipts_logs.log - 1);`;

/** Freezes all logs of a store that is moved: each goes on in a shard of its own, which the next start opens. */
export const freezeAll = [
  `UPDATE receipts_signing_keys SET status = 'retired' WHERE role = 'log' AND status = 'active'`,
  `UPDATE receipts_logs SET status = 'frozen' WHERE status = 'active'`,
] as const;

/** Who writes a log, and which log it continues. */
export interface LogOwner {
  readonly log: number;
  /** Null: the log was last written by a version that did not name it. */
  readonly node: string | null;
  readonly incarnation: string | null;
  /** Origin of the log that it continues. */
  readonly follows: string | null;
}

const texts = {
  logs: 'SELECT log, shard, origin, kid, size, root, status FROM receipts_logs ORDER BY log',
  owners: 'SELECT log, node, incarnation, follows FROM receipts_logs ORDER BY log',
  newest: 'SELECT size, note FROM receipts_checkpoints WHERE log = ? ORDER BY size DESC LIMIT 1',
  range: 'SELECT entry FROM receipts_entries WHERE log = ? AND idx >= ? AND idx < ? ORDER BY idx',
  tile: 'SELECT hashes FROM receipts_tiles WHERE log = ? AND level = ? AND n = ?',
};

/** A checkpoint of a log, and the size that it signs. */
export interface StoredCheckpoint {
  readonly size: number;
  readonly note: string;
}

/**
 * The size in the row of a log whose head is that of its newest checkpoint: on an engine that several processes share
 * no row is updated with each batch, since a long snapshot would keep every version of it.
 */
export const headInCheckpoint = -1;

/** Reads of the log that may answer later. */
export type WriterReads = ReturnType<typeof writerReads>;

/** Reads of the log, from committed rows. */
export type LogReads = {
  readonly [K in keyof WriterReads]: (...given: Parameters<WriterReads[K]>) => Awaited<ReturnType<WriterReads[K]>>;
};

/** Prepares the reads of the log on a connection that answers at once. */
export function logReads(connection: Connection): LogReads {
  return writerReads(connection) as LogReads;
}

/** Prepares the reads of the log for the writer thread, on every engine; they answer at once where the connection does. */
export function writerReads(connection: WriteConnection) {
  const logs = connection.prepare(texts.logs);
  const newest = connection.prepare(texts.newest);
  const range = connection.prepare(texts.range);
  const stored = connection.prepare(texts.tile);
  // The migration defines the column types.
  const entries = (log: number, first: number, count: number) =>
    whenKnown(range.all(log, first, first + count), (rows) => rows.map(({ entry }) => entry as Uint8Array));
  const newestCheckpoint = (log: number) => newest.get(log) as unknown as Awaitable<StoredCheckpoint | undefined>;
  const headed = (row: LogRow) =>
    row.size === headInCheckpoint ? whenKnown(newestCheckpoint(row.log), (head) => withHead(row, head)) : row;
  return {
    /** All logs, oldest first; each active one takes the entries of its owner. */
    logs: () =>
      whenKnown(logs.all(), (rows) => {
        const found = (rows as unknown as LogRow[]).map(headed);
        return found.some((row) => row instanceof Promise)
          ? Promise.all(found as Promise<LogRow>[])
          : (found as LogRow[]);
      }),
    /** The owners of all logs. Prepared at the call, because commands read stores of older versions. */
    owners: () => connection.prepare(texts.owners).all() as unknown as Awaitable<LogOwner[]>,
    /** The newest signed checkpoint of a log. */
    newestCheckpoint,
    /** Entries from `first` on, at most `count`, in order. */
    entries,
    /** The hashes of a tile, fewer than its width when the log has fewer. */
    tile: (log: number, tile: Tile) =>
      whenKnown(
        stored.get(log, tile.level, tile.n),
        (row) => storedTile(row, tile) ?? whenKnown(entries(log, tile.n * tileWidth, tile.width), leaves),
      ),
  };
}

// A log without a checkpoint is empty.
function withHead(row: LogRow, newest: StoredCheckpoint | undefined): LogRow {
  const { size, root } = readCheckpoint(newest?.note)?.checkpoint ?? { size: 0n, root: emptyRoot };
  return { ...row, size: Number(size), root, inCheckpoint: true };
}

function storedTile(row: Row | undefined, { level, width }: Tile): Uint8Array | undefined {
  if (row !== undefined) return (row['hashes'] as Uint8Array).subarray(0, hashBytes * width);
  return level > 0 ? new Uint8Array() : undefined;
}

function leaves(entries: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(entries.map((entry) => hashLeaf(entry, nativeSha256)));
}
