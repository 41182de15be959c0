import {
  defineStore,
  PlatformError,
  queriesOf,
  replacing,
  rowReader,
  rowWriter,
  type Awaitable,
  type AwaitableReads,
  type Claim,
  type Connection,
  type Row,
  type Value,
  type WriteConnection,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import type { KnownPrincipal } from './contract.ts';
import { keySummary, type KeySummary } from './key.ts';
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

/** A key's metadata with the stored hash of the key. */
export interface StoredKey {
  readonly key: KeySummary;
  /** SHA-256 of the whole text, 32 bytes. */
  readonly hash: Uint8Array;
}

/** Query for one page of keys. Without `after` it starts at the newest; without `tenant` it lists all tenants. */
export interface KeyPage {
  readonly tenant?: string | undefined;
  /** Id of the last key of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

const expiryIndexes = `
CREATE INDEX api_keys_expiring ON api_keys_keys (expires_at) WHERE revoked_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX api_keys_expiring_of ON api_keys_keys (tenant, expires_at)
  WHERE revoked_at IS NULL AND expires_at IS NOT NULL;
`;

const firstKey = `
CREATE TABLE api_keys_first (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  key_id TEXT NOT NULL,
  node TEXT NOT NULL
) STRICT;
`;

const ownKeys = `
CREATE TABLE api_keys_own (tenant TEXT PRIMARY KEY, key_id TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

const keysOfNobody = `
CREATE INDEX api_keys_of_nobody ON api_keys_keys (tenant, name, id) WHERE created_by IS NULL;
`;

const principalColumns = ['id', 'name', 'tenant', 'created_at'] as const;
const insertedColumns = [
  ...(['id', 'hash', 'principal', 'tenant', 'name', 'prefix', 'scopes', 'admin', 'mode'] as const),
  ...(['created_at', 'created_by', 'expires_at'] as const),
];

// Of several nodes that start on an empty store, one makes the first key.
const firstClaim: Claim = {
  ...{ table: 'api_keys_first', columns: ['one', 'key_id', 'node'], key: ['one'], holder: 'key_id' },
  dependents: [
    { table: 'api_keys_principals', columns: principalColumns },
    { table: 'api_keys_keys', columns: insertedColumns },
  ],
};

/** The first key of the installation, and the node whose state dir has it. */
interface FirstKey {
  readonly key_id: string;
  readonly node: string;
}

/** The topic under which new and revoked keys are told to the other nodes, by their ids. */
export const keyTopic = 'api_keys';

/** Which expiring keys to list; `tenant` undefined: of all. */
type Expiring = Pick<KeyPage, 'tenant' | 'limit'> & Record<'from' | 'to', string>;

/** Read operations of the key store. */
export type KeyReads = AwaitableReads<ReturnType<typeof reading>>;

/** The store of principals and keys; times are RFC 3339 UTC with milliseconds, so that they compare as text. */
const apiKeysStore = defineStore({
  name: 'api_keys',
  migrations: [tables, expiryIndexes, firstKey, ownKeys, keysOfNobody],
  claims: [firstClaim],
  write: ({ connection }: WriterScope) => ({
    operations: {
      create: creating(connection),
      createFirst: creatingFirst,
      revoke: revoking(connection),
      touch: touching(connection),
    },
  }),
  read: reading,
});

export default apiKeysStore;

// The guard of all operations that a revocation must not overtake. It is named after the first of them, the last admin
// key: nodes of an earlier build take it under this name.
const revocations = 'admins';

/** A key that is added. */
interface NewKey extends StoredKey {
  /** Id of the key that asks for it; absent: no key does. */
  readonly by?: string | undefined;
  /** The platform itself uses it for its tenant, in place of an earlier one. */
  readonly own?: true | undefined;
}

/** Adds a key, and its principal unless the principal exists. Throws `unauthenticated` when the key that asks was revoked. */
function creating(connection: WriteConnection): (key: NewKey, write: WriteContext) => Promise<void> {
  const issuer = connection.prepare('SELECT revoked_at FROM api_keys_keys WHERE id = ?');
  const insertPrincipal = rowWriter(connection, 'api_keys_principals', principalColumns, 'ON CONFLICT (id) DO NOTHING');
  const insertKey = rowWriter(connection, 'api_keys_keys', insertedColumns);
  const insertOwn = rowWriter(connection, 'api_keys_own', ['tenant', 'key_id'], replacing(['tenant'], ['key_id']));
  return async ({ by, own, ...stored }, write) => {
    write.guard(revocations);
    const revokedAt = by === undefined ? undefined : (await issuer.get(by))?.['revoked_at'];
    if (typeof revokedAt === 'string')
      throw new PlatformError('unauthenticated', `the key ${by} was revoked in the meantime; use another key`, {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    const { principal, key } = rowsOf(stored);
    insertPrincipal(principal);
    insertKey(key);
    if (own === true) insertOwn({ tenant: key.tenant, key_id: key.id });
    write.tell(keyTopic, key.id);
  };
}

/** Adds the first key of the installation with its principal; answers the one that there is when it is not this one. */
function creatingFirst(
  { stored, node }: { readonly stored: StoredKey; readonly node: string },
  write: WriteContext,
): Awaitable<Row | undefined> {
  const { principal, key } = rowsOf(stored);
  write.tell(keyTopic, key.id);
  return write.claim(firstClaim, { row: { one: 1, key_id: key.id, node }, dependents: [principal, key] });
}

function rowsOf({ key, hash }: StoredKey) {
  const { key_id: id, principal, principal_name, tenant, scopes, created_at } = key;
  return {
    principal: { id: principal, name: principal_name, tenant, created_at },
    key: { ...key, id, hash, admin: scopes.includes('*') },
  };
}

/** Revokes a key; leaves a revoked key unchanged. Throws `key_not_found`, `last_admin_key`. */
function revoking(connection: WriteConnection) {
  const find = connection.prepare('SELECT revoked_at FROM api_keys_keys WHERE id = ?');
  const liveAdmins = connection.prepare(
    `SELECT id FROM api_keys_keys
     WHERE admin = 1 AND revoked_at IS NULL AND mode = 'live' AND (expires_at IS NULL OR expires_at > ?) LIMIT 2`,
  );
  const revoke = connection.prepare('UPDATE api_keys_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  return async ({ key_id, at }: Record<'key_id' | 'at', string>, write: WriteContext): Promise<void> => {
    // Two concurrent calls cannot revoke the last two admin keys.
    write.guard(revocations);
    if ((await find.get(key_id)) === undefined)
      throw new PlatformError('key_not_found', `there is no key ${key_id}; GET /keys lists them`);
    const admins = await liveAdmins.all(at);
    if (admins.length === 1 && admins[0]?.['id'] === key_id)
      throw new PlatformError(
        problems.last_admin_key,
        'create another live key with the scope * before you revoke this one',
      );
    revoke.queue(at, key_id);
    write.tell(keyTopic, key_id);
  };
}

/** A use of a key; times RFC 3339 UTC. */
export interface KeyUse {
  readonly key_id: string;
  readonly at: string;
  /** A last use that another node has noted later, by this time at most, stays. One behind it is of a clock that was set. */
  readonly until: string;
}

/** Notes when keys were last used. */
function touching(connection: WriteConnection): (uses: readonly KeyUse[]) => void {
  const touch = connection.prepare(
    `UPDATE api_keys_keys SET last_used_at = ?
     WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ? OR last_used_at > ?)`,
  );
  return (uses) => {
    // In one order: two nodes that note the uses of the same keys must not wait for each other.
    const ordered = [...uses].sort((one, other) => (one.key_id < other.key_id ? -1 : 1));
    for (const { key_id, at, until } of ordered) touch.queue(at, key_id, at, until);
  };
}

const keyColumns = [
  ...['hash', 'principal', 'tenant', 'name', 'prefix', 'scopes', 'admin', 'mode', 'created_at', 'created_by'],
  ...['expires_at', 'last_used_at', 'revoked_at'],
];
const selectKeys = `SELECT ${keyColumns.map((name) => `k.${name}`).join(', ')}, k.id AS key_id, p.name AS principal_name
  FROM api_keys_keys k
  JOIN api_keys_principals p ON p.id = k.principal`;

function reading(connection: Connection) {
  const { among, find, list } = queriesOf(connection);
  const ofIds = among(selectKeys, 'k.id', storedOf);
  const principals = 'SELECT id, name, tenant FROM api_keys_principals';
  const any = connection.prepare('SELECT 1 FROM api_keys_keys LIMIT 1');
  const inForce = 'k.revoked_at IS NULL AND k.expires_at IS NOT NULL AND k.expires_at >= ? AND k.expires_at < ?';
  const expiring = list<KeySummary, readonly Value[]>(
    `${selectKeys} WHERE ${inForce} ORDER BY k.expires_at LIMIT ?`,
    keyOf,
  );
  const expiringOf = list<KeySummary, readonly Value[]>(
    `${selectKeys} WHERE k.tenant = ? AND ${inForce} ORDER BY k.expires_at LIMIT ?`,
    keyOf,
  );
  const newest = 'k.id < ? ORDER BY k.id DESC LIMIT ?';
  const listAll = list<KeySummary, readonly Value[]>(`${selectKeys} WHERE ${newest}`, keyOf);
  const listTenant = list<KeySummary, readonly Value[]>(`${selectKeys} WHERE k.tenant = ? AND ${newest}`, keyOf);
  return {
    /** Says whether a key was ever created. */
    any: () => any.get() !== undefined,
    /** Finds the first key that nodes made at their first start; undefined before, and in stores of earlier builds. */
    first: find<FirstKey, []>('SELECT key_id, node FROM api_keys_first', firstOf),
    /** Lists every key that is not revoked. */
    unrevoked: list<StoredKey, []>(`${selectKeys} WHERE k.revoked_at IS NULL`, storedOf),
    /** Lists those of some keys that are not revoked. */
    unrevokedOf: (ids: readonly string[]): readonly StoredKey[] =>
      ofIds(ids).filter(({ key }) => key.revoked_at === undefined),
    /** Finds a key by its hash, also a revoked or expired one. */
    findByHash: find<KeySummary, [hash: Uint8Array]>(`${selectKeys} WHERE k.hash = ?`, keyOf),
    find: find<KeySummary>(`${selectKeys} WHERE k.id = ?`, keyOf),
    /** Finds the newest key that the platform itself used for a tenant, also a revoked one. */
    own: find<KeySummary>(`${selectKeys} JOIN api_keys_own o ON o.key_id = k.id WHERE o.tenant = ?`, keyOf),
    /** Finds the newest key of a name in a tenant that no caller created, also a revoked one. */
    ownNamed: find<KeySummary, [tenant: string, name: string]>(
      `${selectKeys} WHERE k.tenant = ? AND k.name = ? AND k.created_by IS NULL ORDER BY k.id DESC LIMIT 1`,
      keyOf,
    ),
    findPrincipal: find<KnownPrincipal>(`${principals} WHERE id = ?`, principalOf),
    /** Finds the oldest principal; undefined before the first start has made it. */
    firstPrincipal: find<KnownPrincipal, []>(`${principals} ORDER BY id LIMIT 1`, principalOf),
    /** Lists all keys a principal ever had. */
    ofPrincipal: list<KeySummary>(`${selectKeys} WHERE k.principal = ?`, keyOf),
    /** Lists keys that are in force and expire in a time, the next to expire first; times RFC 3339 UTC. */
    expiring: ({ tenant, from, to, limit }: Expiring): readonly KeySummary[] =>
      tenant === undefined ? expiring(from, to, limit) : expiringOf(tenant, from, to, limit),
    /** Lists keys, newest first. */
    list: ({ tenant, after = afterAll, limit }: KeyPage): readonly KeySummary[] =>
      tenant === undefined ? listAll(after, limit) : listTenant(tenant, after, limit),
  };
}

// Sorts after every key id.
const afterAll = 'key_~';

const keyOf = rowReader<KeySummary>(keySummary);
const firstOf = rowReader<FirstKey>({ properties: { key_id: {}, node: {} } });
const storedOf = (row: Row): StoredKey => ({ key: keyOf(row), hash: hashOf(row).hash });
const hashOf = rowReader<Pick<StoredKey, 'hash'>>({ properties: { hash: {} } });
const principalOf = rowReader<KnownPrincipal>({ properties: { id: {}, name: {}, tenant: {} } });
