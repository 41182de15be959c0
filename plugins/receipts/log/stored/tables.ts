import type { Connection } from '../../../../kernel/index.ts';
import { hashLeaf } from '../pure/hashing.ts';
import { tileWidth, type Tile } from '../pure/tile.ts';
import { nativeSha256 } from './native-sha.ts';

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

/** Who writes a log, and which log it continues. */
export interface LogOwner {
  readonly log: number;
  /** Null: the log was last written by a version that did not name it. */
  readonly node: string | null;
  readonly incarnation: string | null;
  /** Origin of the log that it continues. */
  readonly follows: string | null;
}

/** Reads of the log, on any connection. */
export type LogReads = ReturnType<typeof logReads>;

/** Prepares the reads of the log. */
export function logReads(connection: Connection) {
  const logs = connection.prepare('SELECT log, shard, origin, kid, size, root, status FROM receipts_logs ORDER BY log');
  const newest = connection.prepare(
    'SELECT size, note FROM receipts_checkpoints WHERE log = ? ORDER BY size DESC LIMIT 1',
  );
  // The migration defines the column types.
  const range = connection.prepare(
    'SELECT entry FROM receipts_entries WHERE log = ? AND idx >= ? AND idx < ? ORDER BY idx',
  );
  const stored = connection.prepare('SELECT hashes FROM receipts_tiles WHERE log = ? AND level = ? AND n = ?');
  const entries = (log: number, first: number, count: number) =>
    range.all(log, first, first + count).map(({ entry }) => entry as Uint8Array);
  return {
    /** All logs, oldest first; each active one takes the entries of its owner. */
    logs: () => logs.all() as unknown as LogRow[],
    /** The owners of all logs; prepared at the call, because commands read stores of older versions. */
    owners: () =>
      connection
        .prepare('SELECT log, node, incarnation, follows FROM receipts_logs ORDER BY log')
        .all() as unknown as LogOwner[],
    /** The newest signed checkpoint of a log. */
    newestCheckpoint: (log: number) =>
      newest.get(log) as unknown as { readonly size: number; readonly note: string } | undefined,
    /** Entries from `first` on, at most `count`, in order. */
    entries,
    /** The hashes of a tile, fewer than its width when the log has fewer. */
    tile(log: number, { level, n, width }: Tile): Uint8Array {
      const row = stored.get(log, level, n);
      if (row !== undefined) return (row['hashes'] as Uint8Array).subarray(0, 32 * width);
      if (level > 0) return new Uint8Array();
      return Buffer.concat(entries(log, n * tileWidth, width).map((entry) => hashLeaf(entry, nativeSha256)));
    },
  };
}
