import {
  defineStore,
  mappedRow,
  numberedWriter,
  rowReader,
  textColumn,
  type AwaitableReads,
  type Connection,
  type WriteConnection,
  type WriteContext,
} from '../../../../kernel/index.ts';
import type { Certificate } from '../format/credential-schema.ts';
import { purposes, type Entry, type Purpose } from '../format/status-list.ts';
import type { Tier } from '../../shapes.ts';

// Records, not projections: a replay of the log does not rebuild them, and no entry of a list is ever given twice. The
// history of changes and reasons stays inside the installation: no public route reads it.
const tables = `
CREATE TABLE ledger_certificates (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  orb_id TEXT NOT NULL,
  tier TEXT NOT NULL,
  kid TEXT NOT NULL,
  valid_from TEXT NOT NULL,
  valid_until TEXT NOT NULL,
  suspended INTEGER NOT NULL,
  revoked INTEGER NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE INDEX ledger_certificates_by_orb ON ledger_certificates (orb_id, number);
CREATE TABLE ledger_certificate_entries (
  list INTEGER NOT NULL,
  position INTEGER NOT NULL,
  certificate TEXT NOT NULL,
  is_set INTEGER NOT NULL,
  PRIMARY KEY (list, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_certificate_entries_by_certificate ON ledger_certificate_entries (certificate);
CREATE TABLE ledger_certificate_changes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  certificate TEXT NOT NULL,
  at TEXT NOT NULL,
  change TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;
`;

/** A certificate as it is kept. */
export interface StoredCertificate {
  /** `crt_<ulid>` */
  readonly id: string;
  readonly orb_id: string;
  readonly tier: Tier;
  /** The key that signed it. */
  readonly kid: string;
  /** RFC 3339 UTC. */
  readonly valid_from: string;
  readonly valid_until: string;
  readonly suspended: boolean;
  readonly revoked: boolean;
  readonly document: Certificate;
}

/** A new certificate with its entries in the lists. */
export interface NewCertificate extends Omit<StoredCertificate, 'suspended' | 'revoked' | 'document'> {
  readonly document: object;
  readonly entries: Readonly<Record<Purpose, Entry>>;
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly reason: string;
}

/** A change of status bits: set one, or clear a suspension. */
export interface Mark {
  readonly id: string;
  readonly change: 'revoke' | 'suspend' | 'lift';
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly reason: string;
}

/** The reads of certificates, each a value or a promise of it. */
export type CertificateReads = AwaitableReads<ReturnType<typeof reading>>;

/** The part of the ledger's store that keeps certificates and their status. */
export const certificateStore = defineStore({
  name: 'ledger',
  migrations: [tables],
  write: ({ connection }) => ({ operations: writing(connection) }),
  read: (connection) => ({ certificates: reading(connection) }),
});

function writing(connection: WriteConnection) {
  const insert = numberedWriter(connection, 'ledger_certificates', columns);
  const give = connection.prepare(
    `INSERT INTO ledger_certificate_entries (list, position, certificate, is_set) VALUES (?, ?, ?, 0)
     ON CONFLICT (list, position) DO NOTHING`,
  );
  const note = numberedWriter(connection, 'ledger_certificate_changes', ['certificate', 'at', 'change', 'reason']);
  const revoke = connection.prepare('UPDATE ledger_certificates SET revoked = 1 WHERE id = ? AND revoked = 0');
  const suspend = connection.prepare('UPDATE ledger_certificates SET suspended = ? WHERE id = ? AND suspended <> ?');
  // Lists of revocation have odd numbers.
  const setBit = connection.prepare(
    'UPDATE ledger_certificate_entries SET is_set = ? WHERE certificate = ? AND list % 2 = ?',
  );
  return {
    /** Stores a certificate. Fails with 503 `storage_unavailable` when an entry of a list was given before. */
    certificateIssued({ entries, at, reason, ...certificate }: NewCertificate, write: WriteContext): null {
      const { id } = certificate;
      insert({ ...certificate, suspended: false, revoked: false }, write);
      for (const purpose of purposes) give.must(entries[purpose].list, entries[purpose].index, id);
      note({ certificate: id, at, change: 'issue', reason }, write);
      return null;
    },
    /** Changes the status of a certificate; answers whether the status was different before. */
    async certificateMarked({ id, change, at, reason }: Mark, write: WriteContext): Promise<boolean> {
      const value = change === 'lift' ? 0 : 1;
      const changed = await (change === 'revoke' ? revoke.run(id) : suspend.run(value, id, value));
      if (changed === 0) return false;
      setBit.queue(value, id, change === 'revoke' ? 1 : 0);
      note({ certificate: id, at, change, reason }, write);
      write.tell('ledger', 'lists');
      return true;
    },
  };
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const properties = {
  ...{ id: text, orb_id: text, tier: text, kid: text, valid_from: text, valid_until: text },
  ...{ suspended: flag, revoked: flag, document: { type: 'object' } },
} as const;
const columns = Object.keys(properties) as (keyof typeof properties)[];
const stored = rowReader<StoredCertificate>({ properties });

function reading(connection: Connection) {
  const select = `SELECT ${columns.join(', ')} FROM ledger_certificates`;
  const find = connection.prepare(`${select} WHERE id = ?`);
  const newest = connection.prepare(`${select} WHERE orb_id = ? ORDER BY number DESC LIMIT 1`);
  const open = connection.prepare(`${select} WHERE orb_id = ? AND revoked = 0 ORDER BY number`);
  const orbs = connection.prepare('SELECT DISTINCT orb_id FROM ledger_certificates WHERE revoked = 0 ORDER BY orb_id');
  const newestIn = connection.prepare(
    `${select} WHERE number = (SELECT max(c.number) FROM ledger_certificate_entries e JOIN ledger_certificates c ON c.id = e.certificate WHERE e.list = ?)`,
  );
  const given = connection.prepare('SELECT count(*) AS given FROM ledger_certificate_entries WHERE list = ?');
  const isGiven = connection.prepare('SELECT 1 FROM ledger_certificate_entries WHERE list = ? AND position = ?');
  const set = connection.prepare(
    'SELECT position FROM ledger_certificate_entries WHERE list = ? AND is_set = 1 ORDER BY position',
  );
  return {
    find: (id: string) => mappedRow(find.get(id), stored),
    /** Reads the newest certificate ever issued for an Orb, in any status. */
    newest: (orbId: string) => mappedRow(newest.get(orbId), stored),
    /** Reads the certificates of each Orb that are not revoked, oldest first. */
    open: (orbIds: readonly string[]): readonly (readonly StoredCertificate[])[] =>
      orbIds.map((orbId) => open.all(orbId).map(stored)),
    /** Reads the Orbs with a certificate that is not revoked. */
    orbs: (): readonly string[] => orbs.all().map(({ orb_id }) => textColumn(orb_id)),
    /** Reads the newest certificate with an entry in a list. */
    newestIn: (list: number) => mappedRow(newestIn.get(list), stored),
    /** Counts the entries given in a list. */
    given: (list: number) => Number(given.get(list)?.['given'] ?? 0),
    /** Finds the first of these indices that was never given in a list. */
    free: (list: number, indices: readonly number[]) => indices.find((index) => isGiven.get(list, index) === undefined),
    /** Reads the indices that are set in a list. */
    set: (list: number): readonly number[] => set.all(list).map(({ position }) => Number(position)),
  };
}
