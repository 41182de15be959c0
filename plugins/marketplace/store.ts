import {
  defineStore,
  mappedRow,
  PlatformError,
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
import type { Listing } from './listing/listing.ts';

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

const columns = ['orb_id', 'namespace', 'name', 'version', 'status', 'revision', 'facts', 'readme'] as const;

/** Reads of listings. */
export type ListingReads = AwaitableReads<ReturnType<typeof reading>>;

/** The store of listings: the texts of their publishers, and their statuses. */
const marketplaceStore = defineStore({
  name: 'marketplace',
  migrations: [tables],
  write: ({ connection }: WriterScope) => ({ operations: { put: putting(connection) } }),
  read: reading,
});

export default marketplaceStore;

/**
 * Writes a new or changed listing. Throws 503 when another change was committed first; the receipt in the same commit
 * is then rejected too.
 */
function putting(connection: WriteConnection): (listing: Listing, write: WriteContext) => Promise<null> {
  const find = connection.prepare('SELECT revision FROM marketplace_listings WHERE orb_id = ?');
  const put = rowWriter(connection, 'marketplace_listings', columns, replacing(['orb_id'], columns));
  return async ({ orb_id, namespace, name, version, status, revision, readme, ...facts }, write) => {
    write.guard('listings');
    const before = Number((await find.get(orb_id))?.['revision'] ?? 0);
    if (before !== revision - 1)
      throw new PlatformError('storage_unavailable', `${orb_id} was changed at the same time; ask again`, {
        retry_after: 1,
      });
    put({ orb_id, namespace, name, version, status, revision, facts, readme });
    return null;
  };
}

function reading(connection: Connection) {
  const find = connection.prepare(`SELECT ${columns.join(', ')} FROM marketplace_listings WHERE orb_id = ?`);
  const all = connection.prepare(
    "SELECT orb_id, namespace, name, version, status, revision, facts, '' AS readme FROM marketplace_listings ORDER BY orb_id",
  );
  return {
    find: (orbId: string): Listing | undefined => mappedRow(find.get(orbId), listingOf),
    /** Lists all listings ever published, tombstones included, by orb_id and without their READMEs. */
    all: (): Listing[] => all.all().map(listingOf),
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
