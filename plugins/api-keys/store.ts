import {
  defineStore,
  mappedRow,
  PlatformError,
  textColumn,
  type Connection,
  type Row,
  type Value,
  type WriterScope,
} from '../../kernel/index.ts';
import type { KeySummary } from './key.ts';
import { problems } from './problems.ts';

const tables = `
CREATE TABLE api_keys_principals (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  tenant TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE api_keys_keys (
  id TEXT PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  principal TEXT NOT NULL REFERENCES api_keys_principals (id),
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  scopes TEXT NOT NULL,
  admin INTEGER NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  created_at TEXT NOT NULL,
  created_by TEXT,
  expires_at TEXT,
  last_used_at TEXT,
  revoked_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_keys_tenant ON api_keys_keys (tenant, id);
CREATE INDEX api_keys_keys_principal ON api_keys_keys (principal);
CREATE INDEX api_keys_keys_admin ON api_keys_keys (id) WHERE admin = 1 AND revoked_at IS NULL;
`;

/** A key with what is stored of its text. */
export interface StoredKey {
  readonly key: KeySummary;
  /** SHA-256 of the whole text, 32 bytes. */
  readonly hash: Uint8Array;
}

/** One page of keys; `after` and `tenant` absent: from the newest, of all tenants. */
export interface KeyPage {
  readonly tenant?: string;
  /** Id of the last key of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/** Whom keys speak for. */
export interface StoredPrincipal {
  readonly id: string;
  readonly name: string;
  readonly tenant: string;
}

/** What can be read of the keys. */
export interface KeyReads {
  /** Says whether a key was ever created. */
  any(): boolean;
  /** Lists every key that is not revoked. */
  unrevoked(): StoredKey[];
  find(keyId: string): KeySummary | undefined;
  findPrincipal(id: string): StoredPrincipal | undefined;
  /** Finds the principal that was made first; undefined before the first start made it. */
  firstPrincipal(): StoredPrincipal | undefined;
  /** Lists all keys a principal ever had. */
  ofPrincipal(id: string): KeySummary[];
  /** Lists keys, newest first. */
  list(page: KeyPage): KeySummary[];
}

/** The store of principals and keys; times are RFC 3339 UTC with milliseconds, so that they compare as text. */
const apiKeysStore = defineStore({
  name: 'api_keys',
  migrations: [tables],
  write: ({ connection }: WriterScope) => ({
    operations: {
      create: creating(connection),
      revoke: revoking(connection),
      touch: touching(connection),
    },
  }),
  read: reading,
});

export default apiKeysStore;

/** Adds a key, and its principal unless that exists. */
function creating(connection: Connection): (stored: StoredKey) => null {
  const insertPrincipal = connection.prepare(
    'INSERT INTO api_keys_principals (id, name, tenant, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const insertKey = connection.prepare(
    `INSERT INTO api_keys_keys
       (id, hash, principal, tenant, name, prefix, scopes, admin, mode, created_at, created_by, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ key, hash }) => {
    const { key_id, principal, principal_name, tenant, name, prefix, scopes, mode, created_at } = key;
    const admin = scopes.includes('*') ? 1 : 0;
    const rest = [created_at, key.created_by ?? null, key.expires_at ?? null] as const;
    insertPrincipal.run(principal, principal_name, tenant, created_at);
    insertKey.run(key_id, hash, principal, tenant, name, prefix, JSON.stringify(scopes), admin, mode, ...rest);
    return null;
  };
}

/** Revokes a key; nothing happens to one that is revoked. Throws `key_not_found`, `last_admin_key`. */
function revoking(connection: Connection): (revocation: { readonly key_id: string; readonly at: string }) => null {
  const find = connection.prepare('SELECT revoked_at FROM api_keys_keys WHERE id = ?');
  const liveAdmins = connection.prepare(
    `SELECT id FROM api_keys_keys
     WHERE admin = 1 AND revoked_at IS NULL AND mode = 'live' AND (expires_at IS NULL OR expires_at > ?) LIMIT 2`,
  );
  const revoke = connection.prepare('UPDATE api_keys_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  return ({ key_id, at }) => {
    if (find.get(key_id) === undefined) throw new PlatformError('key_not_found', `there is no key ${key_id}`);
    // Asked here, where writes are one after the other: two callers at once cannot each see the other's key as the one left.
    const admins = liveAdmins.all(at);
    if (admins.length === 1 && admins[0]?.['id'] === key_id)
      throw new PlatformError(problems.last_admin_key, 'create another live key with * before you revoke this one');
    revoke.run(at, key_id);
    return null;
  };
}

/** Notes when keys were last used. */
function touching(connection: Connection): (uses: readonly { readonly key_id: string; readonly at: string }[]) => null {
  const touch = connection.prepare('UPDATE api_keys_keys SET last_used_at = ? WHERE id = ?');
  return (uses) => {
    for (const { key_id, at } of uses) touch.run(at, key_id);
    return null;
  };
}

const selectKeys = `SELECT k.*, p.name AS principal_name FROM api_keys_keys k
  JOIN api_keys_principals p ON p.id = k.principal`;

function reading(connection: Connection): KeyReads {
  const any = connection.prepare('SELECT 1 FROM api_keys_keys LIMIT 1');
  const unrevoked = connection.prepare(`${selectKeys} WHERE k.revoked_at IS NULL`);
  const find = connection.prepare(`${selectKeys} WHERE k.id = ?`);
  const findPrincipal = connection.prepare('SELECT id, name, tenant FROM api_keys_principals WHERE id = ?');
  const firstPrincipal = connection.prepare('SELECT id, name, tenant FROM api_keys_principals ORDER BY id LIMIT 1');
  const ofPrincipal = connection.prepare(`${selectKeys} WHERE k.principal = ?`);
  const listAll = connection.prepare(`${selectKeys} WHERE k.id < ? ORDER BY k.id DESC LIMIT ?`);
  const listTenant = connection.prepare(`${selectKeys} WHERE k.tenant = ? AND k.id < ? ORDER BY k.id DESC LIMIT ?`);
  return {
    any: () => any.get() !== undefined,
    unrevoked: () => unrevoked.all().map((row) => ({ key: keyOf(row), hash: bytes(row['hash']) })),
    find: (keyId) => mappedRow(find.get(keyId), keyOf),
    findPrincipal: (id) => mappedRow(findPrincipal.get(id), principalOf),
    firstPrincipal: () => mappedRow(firstPrincipal.get(), principalOf),
    ofPrincipal: (id) => ofPrincipal.all(id).map(keyOf),
    list({ tenant, after = afterAll, limit }) {
      const rows = tenant === undefined ? listAll.all(after, limit) : listTenant.all(tenant, after, limit);
      return rows.map(keyOf);
    },
  };
}

// Greater than every key id.
const afterAll = 'key_~';

function keyOf(row: Row): KeySummary {
  return {
    key_id: textColumn(row['id']),
    principal: textColumn(row['principal']),
    principal_name: textColumn(row['principal_name']),
    tenant: textColumn(row['tenant']),
    name: textColumn(row['name']),
    prefix: textColumn(row['prefix']),
    scopes: texts(row['scopes']),
    mode: row['mode'] === 'live' ? 'live' : 'test',
    created_at: textColumn(row['created_at']),
    ...(row['created_by'] === null ? {} : { created_by: textColumn(row['created_by']) }),
    ...(row['expires_at'] === null ? {} : { expires_at: textColumn(row['expires_at']) }),
    ...(row['last_used_at'] === null ? {} : { last_used_at: textColumn(row['last_used_at']) }),
    ...(row['revoked_at'] === null ? {} : { revoked_at: textColumn(row['revoked_at']) }),
  };
}

function principalOf(row: Row): StoredPrincipal {
  return { id: textColumn(row['id']), name: textColumn(row['name']), tenant: textColumn(row['tenant']) };
}

function texts(value: Value | undefined): string[] {
  const list: unknown = JSON.parse(textColumn(value));
  if (!Array.isArray(list)) throw new TypeError('api_keys: the scopes of a key are not a list');
  return list.map(String);
}

function bytes(value: Value | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError('api_keys: a column that must be bytes is not');
  return value;
}
