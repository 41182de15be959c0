import {
  defineStore,
  PlatformError,
  queriesOf,
  replacing,
  rowReader,
  rowWriter,
  textColumn,
  type AwaitableReads,
  type Connection,
  type Row,
  type WriteConnection,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import type { Listing } from './listing.ts';

const tables = `
CREATE TABLE marketplace_listings (
  orb_id TEXT PRIMARY KEY,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'deprecated', 'yanked', 'removed')),
  revision INTEGER NOT NULL,
  facts TEXT NOT NULL,
  readme TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX marketplace_listings_name ON marketplace_listings (namespace, name);
`;

const grants = `
CREATE TABLE marketplace_grants (
  namespace TEXT PRIMARY KEY,
  receipt_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** The topic under which the other nodes are notified of changed listings, by Orb ids. */
export const listingTopic = 'listings';

const columns = ['orb_id', 'namespace', 'name', 'version', 'status', 'revision', 'facts', 'readme'] as const;

/** Reads of listings. */
export type ListingReads = AwaitableReads<ReturnType<typeof reading>>;

/** The store of listings: the texts of their publishers, and their statuses. */
const marketplaceStore = defineStore({
  name: 'marketplace',
  migrations: [tables, grants],
  write: ({ connection }: WriterScope) => ({ operations: writing(connection) }),
  read: reading,
});

export default marketplaceStore;

/** A change of a namespace: the receipt of the last change before it that has a row, and its own. */
interface GrantChange {
  readonly namespace: string;
  /** Absent: there was none. */
  readonly before: string | undefined;
  readonly receipt_id: string;
}

function writing(connection: WriteConnection) {
  const find = connection.prepare('SELECT revision FROM marketplace_listings WHERE orb_id = ?');
  const put = rowWriter(connection, 'marketplace_listings', columns, replacing(['orb_id'], columns));
  const count = connection.prepare('SELECT count(*) AS n FROM marketplace_listings');
  const findGrant = connection.prepare('SELECT receipt_id FROM marketplace_grants WHERE namespace = ?');
  const noted = ['namespace', 'receipt_id'] as const;
  const note = rowWriter(connection, 'marketplace_grants', noted, replacing(['namespace'], noted));
  return {
    /**
     * Writes a new or changed listing. Throws 503 when another change was committed first; the receipt in the same
     * commit is then rejected too.
     */
    async put(listing: Listing, write: WriteContext): Promise<void> {
      const { orb_id, namespace, name, version, status, revision, readme, ...facts } = listing;
      write.guard('listings');
      const before = Number((await find.get(orb_id))?.['revision'] ?? 0);
      if (before !== revision - 1) throw changedMeanwhile(orb_id);
      put({ orb_id, namespace, name, version, status, revision, facts, readme });
      write.tell(listingTopic, orb_id);
    },
    /** Throws 503, as `put` does, if the names have changed since the name of a new listing was compared with them. */
    async compared({ listings }: { readonly listings: number }, write: WriteContext): Promise<void> {
      write.guard('listings');
      // None is ever deleted.
      if (Number((await count.get())?.['n']) !== listings) throw changedMeanwhile('the list');
    },
    /** Notes the last change of a namespace. Throws 503 when another one was committed first, as `put` does. */
    async noteGrant({ namespace, before, receipt_id }: GrantChange, write: WriteContext): Promise<void> {
      write.guard('namespaces');
      const last = (await findGrant.get(namespace))?.['receipt_id'];
      if (last !== before) throw changedMeanwhile(`the namespace ${namespace}`);
      note({ namespace, receipt_id });
    },
  };
}

function changedMeanwhile(what: string): PlatformError {
  const detail = `another request changed ${what} at the same time; send the request again`;
  return new PlatformError('storage_unavailable', detail, { retry_after: 1 });
}

function reading(connection: Connection) {
  const { find, list } = queriesOf(connection);
  return {
    /** Finds the receipt of the last change of a namespace; undefined: there was none, or earlier builds made it. */
    lastGrant: find('SELECT receipt_id FROM marketplace_grants WHERE namespace = ?', ({ receipt_id }) =>
      textColumn(receipt_id),
    ),
    find: find(`SELECT ${columns.join(', ')} FROM marketplace_listings WHERE orb_id = ?`, listingOf),
    /** Lists all listings ever published, tombstones included, by orb_id and without their READMEs. */
    all: list<Listing, []>(
      "SELECT orb_id, namespace, name, version, status, revision, facts, '' AS readme FROM marketplace_listings ORDER BY orb_id",
      listingOf,
    ),
  };
}

const text = { type: 'string' } as const;
const headOf = rowReader<Partial<Listing>>({
  properties: { orb_id: text, namespace: text, name: text, version: text, status: text, revision: text, readme: text },
});

function listingOf(row: Row): Listing {
  // `put` alone writes this row, from the same members.
  return { ...JSON.parse(textColumn(row['facts'])), ...headOf(row) } as Listing;
}
