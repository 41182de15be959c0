import { replacing, rowReader, rowWriter, type Connection, type WriteConnection } from '../../../../kernel/index.ts';
import type { AuditFinding } from '../../contract.ts';

/** The auditor's place in a log: the first index that it has not verified. */
export interface AuditPlace {
  readonly origin: string;
  readonly next: number;
}

/** A receipt that does not verify, and the time of the finding. */
export type FailingReceipt = Omit<AuditFinding, 'state'>;

/** The auditor's findings since its last record. */
export interface AuditRecord {
  /** The places that have moved. */
  readonly places: readonly AuditPlace[];
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

/** Gives the auditor a place in each log; until then the logs before its only place were verified to their ends. */
export const auditPlacesMigration = `
  ALTER TABLE receipts_audit RENAME TO receipts_audit_before;
  CREATE TABLE receipts_audit (origin TEXT PRIMARY KEY, next INTEGER NOT NULL) STRICT;
  INSERT INTO receipts_audit (origin, next) SELECT origin, next FROM receipts_audit_before;
  INSERT INTO receipts_audit (origin, next) SELECT l.origin, l.size FROM receipts_logs AS l
    WHERE l.log < (SELECT h.log FROM receipts_logs AS h JOIN receipts_audit_before AS b ON b.origin = h.origin);
  DROP TABLE receipts_audit_before;`;

const columns = ['receipt_id', 'orb_id', 'verdicts', 'at'] as const;

/** Prepares the reads at their first use: a store of an older version is read without these tables. */
export function auditReads(connection: Connection) {
  return {
    // The columns are typed by the migration.
    auditPlaces: () =>
      connection.prepare('SELECT origin, next FROM receipts_audit ORDER BY origin').all() as unknown as AuditPlace[],
    failing: () =>
      connection
        .prepare(`SELECT ${columns.join(', ')} FROM receipts_failing ORDER BY receipt_id`)
        .all()
        .map(failingReceipt),
  };
}

const failingReceipt = rowReader<FailingReceipt>({
  properties: { receipt_id: {}, orb_id: {}, verdicts: { type: 'array' }, at: {} },
});

/** Prepares the writes of the auditor. */
export function auditWrites(connection: WriteConnection) {
  const move = connection.prepare(
    `INSERT INTO receipts_audit (origin, next) VALUES (?, ?) ${replacing(['origin'], ['next'])}`,
  );
  const fail = rowWriter(connection, 'receipts_failing', columns, replacing(['receipt_id'], columns));
  const clear = connection.prepare('DELETE FROM receipts_failing WHERE receipt_id = ?');
  return {
    /** Stores the auditor's findings. */
    audited({ cleared, failing, places }: AuditRecord): void {
      for (const receipt of failing) fail(receipt);
      for (const id of cleared) clear.queue(id);
      for (const { next, origin } of places) move.queue(origin, next);
    },
  };
}
