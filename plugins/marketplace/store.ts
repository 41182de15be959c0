import {
  defineStore,
  PlatformError,
  textColumn,
  type Connection,
  type Row,
  type WriterScope,
} from '../../kernel/index.ts';
import type { Listing, ListingStatus } from './listing/listing.ts';

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

/** What can be read of listings. */
export interface ListingReads {
  find(orbId: string): Listing | undefined;
  /** Lists all ever published, tombstones included, by orb_id; their READMEs are left out. */
  all(): Listing[];
}

/** The store of listings: what their publishers said, and where they are in their lives. */
const marketplaceStore = defineStore({
  name: 'marketplace',
  migrations: [tables],
  write: ({ connection }: WriterScope) => ({ operations: { put: putting(connection) } }),
  read: reading,
});

export default marketplaceStore;

/**
 * Writes a listing, new or changed. Throws 503 when another change came first: the receipt it would have committed with
 * is rejected too.
 */
function putting(connection: Connection): (listing: Listing) => null {
  const find = connection.prepare('SELECT revision FROM marketplace_listings WHERE orb_id = ?');
  const put = connection.prepare('INSERT OR REPLACE INTO marketplace_listings VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  return ({ orb_id, namespace, name, version, status, revision, readme, ...facts }) => {
    const before = Number(find.get(orb_id)?.['revision'] ?? 0);
    if (before !== revision - 1)
      throw new PlatformError('storage_unavailable', `${orb_id} was changed meanwhile; ask again`, { retry_after: 1 });
    put.run(orb_id, namespace, name, version, status, revision, JSON.stringify(facts), readme);
    return null;
  };
}

function reading(connection: Connection): ListingReads {
  const find = connection.prepare('SELECT * FROM marketplace_listings WHERE orb_id = ?');
  const all = connection.prepare(
    "SELECT orb_id, namespace, name, version, status, revision, facts, '' AS readme FROM marketplace_listings ORDER BY orb_id",
  );
  return {
    find: (orbId) => {
      const row = find.get(orbId);
      return row === undefined ? undefined : listingOf(row);
    },
    all: () => all.all().map(listingOf),
  };
}

type Facts = Omit<Listing, 'orb_id' | 'namespace' | 'name' | 'version' | 'status' | 'revision' | 'readme'>;

function listingOf(row: Row): Listing {
  return {
    // Written by `put` alone, from the same members.
    ...(JSON.parse(textColumn(row['facts'])) as Facts),
    orb_id: textColumn(row['orb_id']),
    namespace: textColumn(row['namespace']),
    name: textColumn(row['name']),
    version: textColumn(row['version']),
    status: textColumn(row['status']) as ListingStatus,
    revision: Number(row['revision']),
    readme: textColumn(row['readme']),
  };
}
