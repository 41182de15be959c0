import { given, mappedRow, rowWriter, type Connection, type Row, type WriteConnection } from '../../../kernel/index.ts';
import type { KeyRole, Position, PublicKey } from '../format/jwk.ts';
import type { StoredKey } from '../issue/signer.ts';

/** Adds the log positions of a key's facts, and an index to find a receipt by its log position. */
export const keyMigration = `
  ALTER TABLE receipts_signing_keys ADD COLUMN since_origin TEXT;
  ALTER TABLE receipts_signing_keys ADD COLUMN since_index INTEGER;
  CREATE INDEX receipts_place ON receipts_receipts (log, idx);
  UPDATE receipts_signing_keys SET (since_origin, since_index) = (
    SELECT origin, idx FROM receipts_receipts WHERE kind = 'key'
      AND json_extract(CAST(payload AS TEXT), '$.predicate.kid') = receipts_signing_keys.kid ORDER BY rowid LIMIT 1);`;

/** Adds to a key the node that signs with it, and its bounds in other logs when it is revoked. */
export const keyNodesMigration = `
  ALTER TABLE receipts_signing_keys ADD COLUMN node TEXT;
  ALTER TABLE receipts_signing_keys ADD COLUMN stands TEXT;`;

const columns = [
  ...(['kid', 'role', 'public_key', 'sealed', 'status', 'created_at', 'origin', 'node'] as const),
  ...(['revoked_origin', 'revoked_index', 'stands', 'since_origin', 'since_index'] as const),
];
const select = `SELECT ${columns.join(', ')} FROM receipts_signing_keys`;
const oldestFirst = `${select} ORDER BY created_at, role DESC, kid`;

/** Lists the public keys, oldest first; prepared at the call, because commands read stores of older versions. */
export function keyReads(connection: Connection) {
  return { keys: () => connection.prepare(oldestFirst).all().map(publicKeyOf) };
}

/** The signing keys as stored for the writer, the only thread that opens them. */
export type KeyTable = ReturnType<typeof keyTable>;

/** Prepares the reads and writes of the signing keys. */
export function keyTable(connection: WriteConnection) {
  const all = connection.prepare(oldestFirst);
  const one = connection.prepare(`${select} WHERE kid = ?`);
  const insert = rowWriter(connection, 'receipts_signing_keys', columns.slice(0, 8));
  const retire = connection.prepare(`UPDATE receipts_signing_keys SET status = 'retired' WHERE kid = ?`);
  const revoke = connection.prepare(
    `UPDATE receipts_signing_keys SET status = 'revoked', revoked_origin = ?, revoked_index = ?, stands = ? WHERE kid = ?`,
  );
  const take = connection.prepare('UPDATE receipts_signing_keys SET node = ? WHERE kid = ? AND node IS NULL');
  const place = connection.prepare(
    'UPDATE receipts_signing_keys SET since_origin = ?, since_index = ? WHERE kid = ? AND since_origin IS NULL',
  );
  return {
    all: async () => (await all.all()).map(storedKey),
    find: async (kid: string) => mappedRow(await one.get(kid), storedKey),
    insert: (key: StoredKey) => void insert(key),
    /** Retires the signing key. */
    retire: (kid: string) => retire.queue(kid),
    /** Gives a key that belongs to no node yet to one. */
    take: (kid: string, node: string) => take.must(node, kid),
    /** Marks a key as revoked from a position on; `stands`: bounds in other logs. */
    revoke: (kid: string, { origin, index }: Position, stands: readonly Position[] = []) =>
      revoke.queue(origin, index, stands.length === 0 ? null : JSON.stringify(stands), kid),
    /** Stores the position of the entry that published the key. */
    place: (kid: string, { origin, index }: Position) => place.queue(origin, index, kid),
  };
}

/** Says whether a key is an active key of its role; each shard has its own of the role `log`. */
export function isActive(role: KeyRole, key: PublicKey): boolean {
  return key.role === role && key.status === 'active';
}

/**
 * Finds the active keys of a role with which a node may sign: its own or, when it has none, those without a node. A
 * store of a single process has one key, without a node.
 */
export function keysOf<Key extends PublicKey>(role: KeyRole, keys: readonly Key[], node: string): readonly Key[] {
  const active = keys.filter((key) => isActive(role, key));
  const own = active.filter((key) => key.node === node);
  return own.length > 0 ? own : active.filter((key) => key.node === undefined);
}

// The migrations define the column types; this function and the next convert rows to values.
function storedKey(row: Row): StoredKey {
  return { ...publicKeyOf(row), sealed: row['sealed'] as Uint8Array };
}

/** Reads the public half from a row; a missing column counts as a column without a value. */
export function publicKeyOf(row: Row): PublicKey {
  const { kid, role, status, public_key, created_at } = row as unknown as PublicKey;
  const { origin, node, stands } = row;
  const since = positionOf(row['since_origin'], row['since_index']);
  const revoked = positionOf(row['revoked_origin'], row['revoked_index']);
  const stood = typeof stands === 'string' ? (JSON.parse(stands) as Position[]) : undefined;
  return {
    ...{ kid, role, status, public_key, created_at },
    ...given({ origin: textOf(origin), node: textOf(node), stands: stood, since, revoked_at: revoked }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function positionOf(origin: unknown, index: unknown): Position | undefined {
  return typeof origin === 'string' ? { origin, index: Number(index) } : undefined;
}
