import {
  defineStore,
  queriesOf,
  rowReader,
  rowWriter,
  type Awaitable,
  type AwaitableReads,
  type Connection,
  type Row,
  type SealedRows,
  type WriteConnection,
  type WriteContext,
} from '../../kernel/index.ts';
import { lifeWrites, stateWrites, subscriptionColumns, type StoredSubscription } from './subscription-rows.ts';
import { createPrivateKey } from 'node:crypto';

/**
 * The sealed values that a start opens: the key that signs callbacks, and the address and secrets of each subscription.
 */
export const sealedRows: readonly SealedRows[] = [
  {
    table: 'subscriptions_key',
    purpose: 'callback',
    what: 'the key that signs callbacks',
    rows: 'SELECT sealed FROM subscriptions_key',
    read: (pkcs8) => createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' }),
  },
  {
    table: 'subscriptions_subscriptions',
    purpose: 'callback',
    what: 'subscription',
    rows: 'SELECT subscription_id AS name, sealed FROM subscriptions_subscriptions ORDER BY subscription_id',
    read: (plain) => new URL((JSON.parse(Buffer.from(plain).toString()) as { readonly url: string }).url),
  },
];

/** A callback as it is stored; times in ms since 1970. */
export interface StoredCallback {
  readonly callback_id: string;
  readonly subscription_id: string;
  readonly run_id: string;
  readonly type: string;
  readonly state: 'waiting' | 'delivered' | 'dead';
  /** Tries so far. */
  readonly tries: number;
  readonly made_at: number;
  /** Absent: it is not tried again. */
  readonly due_at?: number;
  readonly last_at?: number;
  /** HTTP status of the last answer. */
  readonly status?: number;
  readonly failure?: string;
}

/** A callback as it is made. */
export type NewCallback = StoredCallback & { readonly body: Uint8Array };

/** Result of an attempt. */
export type Tried = Omit<StoredCallback, 'run_id' | 'type' | 'made_at'> & { readonly last_at: number };

const migrations = [
  `CREATE TABLE subscriptions_subscriptions (
     subscription_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, orbiset_id TEXT NOT NULL, wish TEXT NOT NULL,
     sealed BLOB NOT NULL, state TEXT NOT NULL, reason TEXT, failing_since INTEGER, created_at TEXT NOT NULL,
     created_by TEXT NOT NULL
   ) STRICT;
   CREATE TABLE subscriptions_callbacks (
     callback_id TEXT PRIMARY KEY, subscription_id TEXT NOT NULL, run_id TEXT NOT NULL, type TEXT NOT NULL,
     state TEXT NOT NULL, tries INTEGER NOT NULL, made_at INTEGER NOT NULL, due_at INTEGER, last_at INTEGER,
     status INTEGER, failure TEXT, body BLOB
   ) STRICT;
   CREATE INDEX subscriptions_callbacks_due ON subscriptions_callbacks (subscription_id, due_at)
     WHERE due_at IS NOT NULL;
   CREATE INDEX subscriptions_callbacks_list ON subscriptions_callbacks (subscription_id, callback_id);
   CREATE INDEX subscriptions_callbacks_bodies ON subscriptions_callbacks (made_at) WHERE body IS NOT NULL;
   CREATE TABLE subscriptions_key (
     one INTEGER PRIMARY KEY CHECK (one = 1), sealed BLOB NOT NULL, created_at TEXT NOT NULL
   ) STRICT;`,
  `CREATE INDEX subscriptions_callbacks_unknown ON subscriptions_callbacks (run_id) WHERE type = 'run.indeterminate';`,
];

/** The topic that announces due callbacks; its messages are ids of subscriptions. */
export const callbackTopic = 'callbacks';

const shownColumns = [
  ...(['callback_id', 'subscription_id', 'run_id', 'type', 'state', 'tries', 'made_at', 'due_at'] as const),
  ...(['last_at', 'status', 'failure'] as const),
];
const callbackColumns = [...shownColumns, 'body'] as const;

/** The store of subscriptions, and of the callbacks that were made for them. */
export default defineStore({
  name: 'subscriptions',
  seals: ['callback'],
  opens: sealedRows,
  migrations,
  write: ({ connection }) => ({
    operations: {
      ...lifeWrites(connection),
      ...stateWrites(connection),
      ...callbackWrites(connection),
      keepKey: keyKeeping(connection),
    },
  }),
  read: reading,
});

/** Stores the key that signs callbacks; an existing key stays. */
function keyKeeping(connection: WriteConnection) {
  const columns = ['one', 'sealed', 'created_at'] as const;
  const keep = rowWriter(connection, 'subscriptions_key', columns, 'ON CONFLICT (one) DO NOTHING');
  return (row: { readonly sealed: Uint8Array; readonly created_at: string }): void => keep({ one: 1, ...row });
}

function callbackWrites(connection: WriteConnection) {
  const insert = rowWriter(connection, 'subscriptions_callbacks', callbackColumns);
  const set = 'state = ?, tries = ?, due_at = ?, last_at = ?, status = ?, failure = ?';
  // If its body was erased during the attempt, it stays dead.
  const tried = connection.prepare(
    `UPDATE subscriptions_callbacks SET ${set} WHERE callback_id = ? AND body IS NOT NULL`,
  );
  const taken = connection.prepare(`UPDATE subscriptions_callbacks SET ${set}, body = NULL WHERE callback_id = ?`);
  const again = connection.prepare(
    `UPDATE subscriptions_callbacks SET state = 'waiting', tries = 0, due_at = ?
     WHERE callback_id = ? AND body IS NOT NULL`,
  );
  const mend = connection.prepare(
    'UPDATE subscriptions_callbacks SET due_at = ? WHERE due_at > ? AND (made_at > ? OR last_at > ?)',
  );
  const told = connection.prepare(
    "SELECT 1 AS one FROM subscriptions_callbacks WHERE run_id = ? AND subscription_id = ? AND type = 'run.indeterminate'",
  );
  const erase = connection.prepare(
    `UPDATE subscriptions_callbacks SET body = NULL, due_at = NULL,
       state = CASE WHEN state = 'waiting' THEN 'dead' ELSE state END
     WHERE callback_id IN (
       SELECT callback_id FROM subscriptions_callbacks WHERE body IS NOT NULL AND made_at < ? ORDER BY made_at LIMIT ?)`,
  );
  const prune = connection.prepare(
    `DELETE FROM subscriptions_callbacks WHERE callback_id IN (
       SELECT callback_id FROM subscriptions_callbacks WHERE callback_id < ? ORDER BY callback_id LIMIT ?)`,
  );
  return {
    enqueue: (row: NewCallback): void => insert(row),
    /** Adds a callback, if the subscription got a callback that the outcome of the run is unknown. */
    async enqueueTold(row: NewCallback): Promise<void> {
      if ((await told.get(row.run_id, row.subscription_id)) !== undefined) insert(row);
    },
    /** Stores the result of an attempt; the body is deleted after a delivery. */
    tried({ callback_id, state, tries, due_at, last_at, status, failure }: Tried): void {
      const statement = state === 'delivered' ? taken : tried;
      statement.queue(state, tries, due_at ?? null, last_at, status ?? null, failure ?? null, callback_id);
    },
    /** Makes a callback due again; answers 0 when its body was erased. */
    again: ({ callback_id, at }: { readonly callback_id: string; readonly at: number }): Awaitable<number> =>
      again.run(at, callback_id),
    /**
     * Makes callbacks due that a clock that was ahead delayed: those created or sent after a time. Answers how many.
     */
    mend: ({ now, after }: { readonly now: number; readonly after: number }): Awaitable<number> =>
      mend.run(now, after, after, after),
    /** Notifies the delivering node that subscriptions have due callbacks. */
    tellDue({ ids }: { readonly ids: readonly string[] }, write: WriteContext): void {
      for (const id of ids) write.tell(callbackTopic, id);
    },
    /** Erases bodies that were made before a time, at most so many; answers how many. */
    erase: ({ before, most }: { readonly before: number; readonly most: number }): Awaitable<number> =>
      erase.run(before, most),
    /** Deletes callbacks below an id, at most so many; answers how many. */
    prune: ({ below, most }: { readonly below: string; readonly most: number }): Awaitable<number> =>
      prune.run(below, most),
  };
}

const integer = { type: 'integer' } as const;
const times = { made_at: integer, due_at: integer, last_at: integer };
const shownRow = { properties: { ...Object.fromEntries(shownColumns.map((name) => [name, {}])), ...times } };
const callbackOf = rowReader<StoredCallback>(shownRow);
const dueOf = rowReader<NewCallback>({ properties: { ...shownRow.properties, body: {} } });
const subscriptionOf = rowReader<StoredSubscription>({
  properties: { ...Object.fromEntries(subscriptionColumns.map((name) => [name, {}])), wish: { type: 'object' } },
});

// A callback without a body cannot be sent.
const isDue = 'subscription_id = ? AND due_at IS NOT NULL AND body IS NOT NULL';

function tryReads(connection: Connection) {
  const { find, list } = queriesOf(connection);
  const waitingOf = find<number>(`SELECT count(*) AS n FROM subscriptions_callbacks WHERE ${isDue}`, ({ n }) =>
    Number(n),
  );
  return {
    /** Callbacks of a subscription that are due, the longest due first. */
    due: list<NewCallback, [id: string, now: number, limit: number]>(
      `SELECT ${callbackColumns.join(', ')} FROM subscriptions_callbacks
       WHERE ${isDue} AND due_at <= ? ORDER BY due_at LIMIT ?`,
      dueOf,
    ),
    /** Counts the callbacks of subscriptions that wait. */
    waiting: (ids: readonly string[]): ReadonlyMap<string, number> =>
      new Map(ids.map((id) => [id, waitingOf(id) ?? 0])),
    /** When the next callback of a subscription is due. */
    nextDue: find<number>(
      `SELECT due_at FROM subscriptions_callbacks WHERE ${isDue} ORDER BY due_at LIMIT 1`,
      ({ due_at }) => Number(due_at),
    ),
    /** Time of the last failed attempt of the undelivered callbacks of a subscription. */
    lastFailed: find<number>(
      `SELECT last_at FROM subscriptions_callbacks
       WHERE subscription_id = ? AND last_at IS NOT NULL AND state <> 'delivered' ORDER BY last_at DESC LIMIT 1`,
      ({ last_at }) => Number(last_at),
    ),
  };
}

function reading(connection: Connection) {
  const { among, find, list, pages } = queriesOf(connection);
  return {
    subscriptions: list<StoredSubscription, []>(
      `SELECT ${subscriptionColumns.join(', ')} FROM subscriptions_subscriptions ORDER BY subscription_id`,
      subscriptionOf,
    ),
    subscriptionsOf: among<StoredSubscription>(
      `SELECT ${subscriptionColumns.join(', ')} FROM subscriptions_subscriptions`,
      'subscription_id',
      subscriptionOf,
    ),
    key: find<Uint8Array, []>('SELECT sealed FROM subscriptions_key', ({ sealed }: Row) => sealed as Uint8Array),
    ...tryReads(connection),
    /** When the oldest body that is kept was made, and the id of the oldest callback. */
    oldestBody: find<number, []>(
      'SELECT made_at FROM subscriptions_callbacks WHERE body IS NOT NULL ORDER BY made_at LIMIT 1',
      ({ made_at }) => Number(made_at),
    ),
    oldest: find<string, []>(
      'SELECT callback_id FROM subscriptions_callbacks ORDER BY callback_id LIMIT 1',
      ({ callback_id }) => String(callback_id),
    ),
    find: find<StoredCallback>(
      `SELECT ${shownColumns.join(', ')} FROM subscriptions_callbacks WHERE callback_id = ?`,
      callbackOf,
    ),
    page: pages<StoredCallback>({
      select: shownColumns.map((name) => `subscriptions_callbacks.${name}`).join(', '),
      table: 'subscriptions_callbacks',
      id: 'callback_id',
      read: callbackOf,
    }),
  };
}

/** Reads of subscriptions. */
export type SubscriptionReads = AwaitableReads<ReturnType<typeof reading>>;
