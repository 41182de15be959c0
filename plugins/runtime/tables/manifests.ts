import {
  PlatformError,
  replacing,
  rowWriter,
  textColumn,
  type Connection,
  type WriteConnection,
  type WriteContext,
  queriesOf,
} from '../../../kernel/index.ts';
import { asIs } from '../../../kernel/runner.ts';

/** Who put a manifest, and when. */
export interface Put {
  readonly principal: string;
  /** RFC 3339 UTC. */
  readonly put_at: string;
  /** Most manifests that are kept. */
  readonly limit: number;
}

/** An Orb that was put over the API. */
export interface OrbRow {
  readonly orb_id: string;
  readonly digest: string;
  /** JSON in canonical form. */
  readonly manifest: string;
}

/** An Orbiset that was put over the API; without a manifest only its id, which stays with its tenant. */
export interface OrbisetRow {
  readonly orbiset_id: string;
  readonly tenant: string;
  readonly manifest: string | null;
}

/** Tables of the manifests that were put over the API. */
export const manifestTables = `CREATE TABLE runtime_orbs (
     orb_id TEXT PRIMARY KEY, digest TEXT NOT NULL, manifest TEXT NOT NULL, principal TEXT NOT NULL, put_at TEXT NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE runtime_orbisets (
     orbiset_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, manifest TEXT, principal TEXT, put_at TEXT
   ) WITHOUT ROWID;
   CREATE INDEX runtime_orbisets_by_tenant ON runtime_orbisets (tenant, orbiset_id) WHERE manifest IS NOT NULL;`;

const orbColumns = ['orb_id', 'digest', 'manifest', 'principal', 'put_at'] as const;
const orbisetColumns = ['orbiset_id', 'tenant', 'manifest', 'principal', 'put_at'] as const;

/** The topics under which manifests are told to the other nodes, by their ids. */
export const manifestTopics = { orbs: 'orbs', orbisets: 'orbisets' } as const;

/** Makes the operations of Orbs. */
export function orbWrites(connection: WriteConnection) {
  const use = connection.prepare(
    'INSERT INTO runtime_manifests (orb_id, digest) VALUES (?, ?) ON CONFLICT (orb_id) DO NOTHING',
  );
  const used = connection.prepare('SELECT digest FROM runtime_manifests WHERE orb_id = ?');
  const find = connection.prepare('SELECT digest FROM runtime_orbs WHERE orb_id = ?');
  const count = connection.prepare('SELECT count(*) AS n FROM runtime_orbs');
  const put = rowWriter(connection, 'runtime_orbs', orbColumns, replacing(['orb_id'], orbColumns));
  const erase = connection.prepare('DELETE FROM runtime_orbs WHERE orb_id = ?');
  const unbind = connection.prepare('DELETE FROM runtime_bindings WHERE orb_id = ?');
  return {
    /** Stores an Orb, or replaces one that was never used; a manifest that was used stays the only one of its id. */
    async putOrb(orb: OrbRow & Put, write: WriteContext): Promise<void> {
      const { orb_id, digest, limit } = orb;
      write.guard('orbs');
      const before = (await used.get(orb_id))?.['digest'];
      if (before !== undefined && before !== digest) throw usedOtherwise(orb_id, String(before));
      if ((await find.get(orb_id)) === undefined && Number((await count.get())?.['n']) >= limit)
        throw tooMany('Orbs', limit);
      put(orb);
      write.tell(manifestTopics.orbs, orb_id);
    },
    /** Removes an Orb and its binding by a swap; the digest under which it was used stays. */
    deleteOrb({ orb_id }: { orb_id: string }, write: WriteContext): void {
      erase.queue(orb_id);
      unbind.queue(orb_id);
      write.tell(manifestTopics.orbs, orb_id);
    },
    /** Removes an Orb that a file defines from now on, word for word. */
    yieldOrb({ orb_id }: { orb_id: string }): void {
      erase.queue(orb_id);
    },
    /** Stores the digest under which an Orb was first used; another digest, or an Orb that was replaced, is refused. */
    async useManifest({ orb_id, digest }: Pick<OrbRow, 'orb_id' | 'digest'>, write: WriteContext): Promise<void> {
      write.guard('orbs');
      use.queue(orb_id, digest);
      const [first, stored] = [(await used.get(orb_id))?.['digest'], (await find.get(orb_id))?.['digest']];
      if (first !== digest || (stored !== undefined && stored !== digest))
        throw new PlatformError('internal', `the manifest of ${orb_id} changed after its first use`);
    },
  };
}

/** Makes the operations of Orbisets. */
export function orbisetWrites(connection: WriteConnection) {
  const find = connection.prepare('SELECT tenant, manifest FROM runtime_orbisets WHERE orbiset_id = ?');
  const count = connection.prepare(
    'SELECT count(*) AS n FROM runtime_orbisets WHERE tenant = ? AND manifest IS NOT NULL',
  );
  const put = rowWriter(connection, 'runtime_orbisets', orbisetColumns, replacing(['orbiset_id'], orbisetColumns));
  return {
    /** Stores an Orbiset; an id that ever belonged to another tenant is refused. */
    async putOrbiset(orbiset: OrbisetRow & Put, write: WriteContext): Promise<void> {
      const { orbiset_id, tenant, limit } = orbiset;
      write.guard('orbisets');
      const before = await find.get(orbiset_id);
      if (before !== undefined && before['tenant'] !== tenant) throw orbisetExists(orbiset_id);
      const isNew = (before?.['manifest'] ?? null) === null;
      if (isNew && Number((await count.get(tenant))?.['n']) >= limit) throw tooMany('Orbisets of a tenant', limit);
      put(orbiset);
      write.tell(manifestTopics.orbisets, orbiset_id);
    },
    /** Removes an Orbiset, or records one of a file: its id stays with its tenant. */
    keepOrbisetId({ orbiset_id, tenant }: { orbiset_id: string; tenant: string }, write: WriteContext): void {
      put({ orbiset_id, tenant });
      write.tell(manifestTopics.orbisets, orbiset_id);
    },
  };
}

/** Makes the reads. */
export function manifestReads(connection: Connection) {
  const { find, list } = queriesOf(connection);
  return {
    usedDigest: find('SELECT digest FROM runtime_manifests WHERE orb_id = ?', ({ digest }) => textColumn(digest)),
    storedOrbs: list<OrbRow, []>('SELECT orb_id, digest, manifest FROM runtime_orbs ORDER BY orb_id', asIs),
    storedOrbisets: list<OrbisetRow, []>(
      'SELECT orbiset_id, tenant, manifest FROM runtime_orbisets ORDER BY orbiset_id',
      asIs,
    ),
  };
}

/** Makes the problem for an Orbiset id that is taken. */
export function orbisetExists(id: string): PlatformError {
  return new PlatformError('orbiset_exists', `the id ${id} is already used; choose another`);
}

function usedOtherwise(orbId: string, digest: string): PlatformError {
  return new PlatformError(
    'manifest_used',
    `${orbId} was used with the manifest ${digest}; give the other manifest a new version`,
  );
}

function tooMany(what: string, limit: number): PlatformError {
  return new PlatformError('manifest_limit', `the limit of ${limit} ${what} is reached; delete one that is not used`);
}
