import type { Connection, Row } from '../../kernel/index.ts';
import type { PublicKey } from './jwk.ts';
import type { StoredKey } from './signer.ts';

/** Lists the public keys, oldest first. */
export function keyReads(connection: Connection): { keys(): PublicKey[] } {
  const keys = connection.prepare('SELECT * FROM receipts_signing_keys ORDER BY created_at, role DESC, kid');
  return { keys: () => keys.all().map(publicKey) };
}

/** Reads and writes the signing keys; for the writer, which alone opens them. */
export function keyTable(connection: Connection) {
  const all = connection.prepare('SELECT * FROM receipts_signing_keys ORDER BY created_at, role DESC, kid');
  const insert = connection.prepare(
    `INSERT INTO receipts_signing_keys (kid, role, public_key, sealed, status, created_at, origin)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    all: (): StoredKey[] => all.all().map(storedKey),
    insert({ kid, role, public_key, sealed, status, created_at, origin }: StoredKey): void {
      insert.run(kid, role, public_key, sealed, status, created_at, origin ?? null);
    },
  };
}

/** Says whether a key is the one that signs receipts. */
export function isActiveReceiptKey({ role, status }: PublicKey): boolean {
  return role === 'receipt' && status === 'active';
}

// The columns are typed by the migrations; this and the next are where rows become values.
function storedKey(row: Row): StoredKey {
  return { ...publicKey(row), sealed: row['sealed'] as Uint8Array };
}

function publicKey(row: Row): PublicKey {
  const { kid, role, status, public_key, created_at } = row as unknown as PublicKey;
  const { origin, revoked_origin: revokedOrigin, revoked_index: revokedIndex } = row;
  return {
    ...{ kid, role, status, public_key, created_at },
    ...(typeof origin === 'string' ? { origin } : {}),
    ...(typeof revokedOrigin === 'string'
      ? { revoked_at: { origin: revokedOrigin, index: Number(revokedIndex) } }
      : {}),
  };
}
