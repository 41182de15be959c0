import {
  defineStore,
  PlatformError,
  queriesOf,
  replacing,
  rowWriter,
  type AwaitableReads,
  type Connection,
  type Row,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import { problems } from './problems.ts';

/** A provider in the store; its configuration is sealed. */
export interface ProviderRow {
  readonly name: string;
  readonly adapter: string;
  readonly config_digest: string;
  /** Digest of adapter, configuration and limits: the ETag. */
  readonly tag: string;
  readonly principal: string;
  /** RFC 3339 UTC. */
  readonly created_at: string;
  readonly changed_at: string;
  /** Receipt of the last change. */
  readonly receipt_id: string;
}

/** A row with its sealed definition. */
export interface SealedRow extends ProviderRow {
  readonly definition: Uint8Array;
}

/** The order of the providers of an Orb; the first was active when it was put. */
export interface OrderRow {
  readonly orb_id: string;
  readonly providers: readonly string[];
  /** Digest of the order. */
  readonly tag: string;
  readonly principal: string;
  /** RFC 3339 UTC. */
  readonly changed_at: string;
  /** Receipt of the last change. */
  readonly receipt_id: string;
}

/** A change of a row; `before`: the tag that the row must have, null when there must be none. */
interface Expecting {
  readonly before: string | null;
}

type ExpectingProvider = Expecting & Pick<ProviderRow, 'name'>;
type ExpectingOrder = Expecting & Pick<OrderRow, 'orb_id'>;

/** The topic under which changes are told to the other nodes, by the names of the providers. */
export const providerTopic = 'providers';

/** Purpose under which definitions are sealed, and codes of secrets are made. */
export const purpose = 'providers';

const columns = [
  ...(['name', 'adapter', 'config_digest', 'tag', 'definition', 'principal'] as const),
  ...(['created_at', 'changed_at', 'receipt_id'] as const),
];

const orderColumns = ['orb_id', 'providers', 'tag', 'principal', 'changed_at', 'receipt_id'] as const;

/** Providers and orders that were put over the API. */
const providerStore = defineStore({
  name: 'stored_providers',
  seals: [purpose],
  migrations: [
    `CREATE TABLE stored_providers_rows (
       name TEXT PRIMARY KEY, adapter TEXT NOT NULL, config_digest TEXT NOT NULL, tag TEXT NOT NULL,
       definition BLOB NOT NULL, principal TEXT NOT NULL, created_at TEXT NOT NULL, changed_at TEXT NOT NULL,
       receipt_id TEXT NOT NULL
     ) WITHOUT ROWID;`,
    `CREATE TABLE stored_providers_orders (
       orb_id TEXT PRIMARY KEY, providers TEXT NOT NULL, tag TEXT NOT NULL, principal TEXT NOT NULL,
       changed_at TEXT NOT NULL, receipt_id TEXT NOT NULL
     ) WITHOUT ROWID;`,
  ],
  write: (scope: WriterScope) => ({ operations: { ...providers(scope), ...orders(scope) } }),
  read: reading,
});

export default providerStore;

function providers({ connection, sealer }: WriterScope) {
  const find = connection.prepare('SELECT tag FROM stored_providers_rows WHERE name = ?');
  const count = connection.prepare('SELECT count(*) AS n FROM stored_providers_rows');
  const put = rowWriter(connection, 'stored_providers_rows', columns, replacing(['name'], columns));
  const erase = connection.prepare('DELETE FROM stored_providers_rows WHERE name = ?');
  const expect = expecting(find);
  return {
    /** Adds or replaces a provider. Throws `precondition_failed`, `provider_limit`. */
    async put(
      row: ProviderRow & ExpectingProvider & { readonly definition: string; readonly most: number },
      write: WriteContext,
    ): Promise<void> {
      await expect(row.name, row, write);
      if (row.before === null && Number((await count.get())?.['n']) >= row.most)
        throw new PlatformError(problems.provider_limit, `the store keeps at most ${row.most} providers`);
      put({ ...row, definition: sealer.seal(purpose, Buffer.from(row.definition)) });
      write.tell(providerTopic, row.name);
    },
    /** Removes a provider with its secrets. Throws `precondition_failed`. */
    async remove(args: ExpectingProvider, write: WriteContext): Promise<void> {
      await expect(args.name, args, write);
      erase.queue(args.name);
      write.tell(providerTopic, args.name);
    },
  };
}

function orders({ connection }: WriterScope) {
  const find = connection.prepare('SELECT tag FROM stored_providers_orders WHERE orb_id = ?');
  const put = rowWriter(connection, 'stored_providers_orders', orderColumns, replacing(['orb_id'], orderColumns));
  const erase = connection.prepare('DELETE FROM stored_providers_orders WHERE orb_id = ?');
  const expect = expecting(find);
  return {
    /** Stores the order of an Orb. Throws `precondition_failed`. */
    async putOrder(row: OrderRow & Expecting, write: WriteContext): Promise<void> {
      await expect(row.orb_id, row, write);
      put({ ...row, providers: JSON.stringify(row.providers) });
      write.tell(providerTopic, row.orb_id);
    },
    /** Removes the order of an Orb. Throws `precondition_failed`. */
    async removeOrder(args: ExpectingOrder, write: WriteContext): Promise<void> {
      await expect(args.orb_id, args, write);
      erase.queue(args.orb_id);
      write.tell(providerTopic, args.orb_id);
    },
  };
}

// Of two changes of one thing, one comes after the other.
function expecting(find: ReturnType<WriterScope['connection']['prepare']>) {
  return async (key: string, { before }: Expecting, write: WriteContext): Promise<void> => {
    write.guard('providers');
    if (((await find.get(key))?.['tag'] ?? null) === before) return;
    throw new PlatformError('precondition_failed', `${key} was changed at the same time; read it again`);
  };
}

/** Reads of stored providers. */
export type ProviderReads = AwaitableReads<ReturnType<typeof reading>>;

function reading(connection: Connection) {
  const { find, list } = queriesOf(connection);
  const rows = `SELECT ${columns.join(', ')} FROM stored_providers_rows`;
  const byOrb = `SELECT ${orderColumns.join(', ')} FROM stored_providers_orders`;
  return {
    find: find<SealedRow>(`${rows} WHERE name = ?`, rowOf),
    /** All of them, the oldest first: a later one does not become the first of an Orb. */
    stored: list<SealedRow, []>(`${rows} ORDER BY created_at, name`, rowOf),
    findOrder: find<OrderRow>(`${byOrb} WHERE orb_id = ?`, orderOf),
    orders: list<OrderRow, []>(byOrb, orderOf),
  };
}

// Only the operations of this module write its tables, from values of these types.
const rowOf = (row: Row): SealedRow => row as unknown as SealedRow;
const orderOf = (row: Row): OrderRow => ({
  ...(row as unknown as OrderRow),
  providers: JSON.parse(String(row['providers'])) as readonly string[],
});
