import { rowReader, type Connection } from '../../../kernel/index.ts';

/** How far the auditor is: the first index of a log that it has not verified. */
export interface AuditPlace {
  readonly origin: string;
  readonly next: number;
}

/** A receipt that does not verify. */
export interface FailingReceipt {
  readonly receipt_id: string;
  readonly orb_id?: string;
  /** Names of the verdicts that fail. */
  readonly verdicts: readonly string[];
  /** RFC 3339 UTC: when that was found. */
  readonly at: string;
}

/** What the auditor found since it last wrote it down. */
export interface AuditRecord {
  readonly place?: AuditPlace;
  readonly failing: readonly FailingReceipt[];
  /** Ids of receipts that verify again. */
  readonly cleared: readonly string[];
}

/** Tables of the auditor. */
export const auditMigration = `
  CREATE TABLE receipts_audit (
    one INTEGER PRIMARY KEY CHECK (one = 1), origin TEXT NOT NULL, next INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE receipts_failing (
    receipt_id TEXT PRIMARY KEY, orb_id TEXT, verdicts TEXT NOT NULL, at TEXT NOT NULL
  ) STRICT;`;

/** Prepares the reads when they are first used: a store of an older version is looked at without these tables. */
export function auditReads(connection: Connection) {
  return {
    // The columns are typed by the migration.
    auditPlace: () =>
      connection.prepare('SELECT origin, next FROM receipts_audit').get() as unknown as AuditPlace | undefined,
    failing: () => connection.prepare('SELECT * FROM receipts_failing ORDER BY receipt_id').all().map(failingReceipt),
  };
}

const failingReceipt = rowReader<FailingReceipt>({
  properties: { receipt_id: {}, orb_id: {}, verdicts: { type: 'array' }, at: {} },
});

/** Makes the write of the auditor. */
export function auditWriter(connection: Connection): (record: AuditRecord) => void {
  const move = connection.prepare('INSERT OR REPLACE INTO receipts_audit (one, origin, next) VALUES (1, ?, ?)');
  const fail = connection.prepare(
    'INSERT OR REPLACE INTO receipts_failing (receipt_id, orb_id, verdicts, at) VALUES (?, ?, ?, ?)',
  );
  const clear = connection.prepare('DELETE FROM receipts_failing WHERE receipt_id = ?');
  return ({ cleared, failing, place }) => {
    for (const { at, orb_id, receipt_id, verdicts } of failing)
      fail.run(receipt_id, orb_id ?? null, JSON.stringify(verdicts), at);
    for (const id of cleared) clear.run(id);
    if (place !== undefined) move.run(place.origin, place.next);
  };
}
