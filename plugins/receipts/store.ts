import { defineStore, type AwaitableReads, type Connection, type WriterScope } from '../../kernel/index.ts';
import { shapeMigration } from './issue/shapes.ts';
import { keyMigration, keyNodesMigration, keyReads } from './keys/key-tables.ts';
import { sealedSeeds } from './keys/sealed-seeds.ts';
import { signingBatches, signingOperations } from './keys/signing/operations.ts';
import { Signing } from './keys/signing/signing.ts';
import { auditMigration, auditPlacesMigration, auditReads, auditWrites } from './log/rows/audit.ts';
import { changeReads } from './log/rows/changes.ts';
import { entryReads, othersMigration } from './log/rows/entry-reads.ts';
import { filteredReads, listMigration, otherKindsMigration, receiptMarks } from './log/rows/filter.ts';
import { receiptReads, withoutShapes } from './log/rows/stored-receipt.ts';
import { valueReads, valueWrites } from './log/rows/values.ts';
import { attestedReads } from './log/stored/attested.ts';
import { composedReads } from './log/stored/read-proof.ts';
import { ownLogReads } from './log/stored/own-log.ts';
import { followedReads } from './log/stored/followed.ts';
import { freezeAll, logMigration, logReads, ownersMigration } from './log/stored/tables.ts';

/** Reads of the plugin, from committed rows. */
export type Reads = ReturnType<typeof reading>;

/** The reads as the thread that serves has them. */
export type ServedReads = AwaitableReads<Reads>;

const migrations = [
  `CREATE TABLE receipts_signing_keys (
     kid TEXT PRIMARY KEY, role TEXT NOT NULL, public_key BLOB NOT NULL, sealed BLOB NOT NULL, status TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE receipts_receipts (
     receipt_id TEXT PRIMARY KEY, kind TEXT NOT NULL, run_id TEXT, tenant TEXT, orbiset_id TEXT, orb_id TEXT,
     status TEXT, origin TEXT NOT NULL, sequence INTEGER, payload BLOB NOT NULL, signature BLOB NOT NULL,
     kid TEXT NOT NULL, digest TEXT NOT NULL, timestamp TEXT NOT NULL, trust_score INTEGER, risk_level TEXT
   ) STRICT;
   CREATE UNIQUE INDEX receipts_chain ON receipts_receipts (orbiset_id, origin, sequence);
   CREATE INDEX receipts_listing ON receipts_receipts (tenant, receipt_id);
   CREATE TABLE receipts_values (
     receipt_id TEXT NOT NULL, name TEXT NOT NULL, sealed BLOB NOT NULL, erase_at INTEGER NOT NULL,
     PRIMARY KEY (receipt_id, name)
   ) STRICT;
   CREATE INDEX receipts_values_erase ON receipts_values (erase_at);`,
  logMigration,
  // Only runs with an unknown outcome are indexed: no other receipt is searched by its run.
  `CREATE INDEX receipts_unsettled ON receipts_receipts (run_id)
     WHERE kind = 'resolution' OR status = 'indeterminate';`,
  keyMigration,
  auditMigration,
  listMigration,
  othersMigration,
  otherKindsMigration,
  shapeMigration,
  ownersMigration,
  auditPlacesMigration,
  keyNodesMigration,
  receiptMarks,
];

/** The store of receipts: keys, the signed chain of every Orbiset, the log over all, values kept for a limited time. */
export default defineStore({
  name: 'receipts',
  seals: ['signing'],
  opens: [sealedSeeds],
  migrations,
  moved: freezeAll,
  write: writing,
  read: reading,
});

function writing(scope: WriterScope) {
  const signing = new Signing(scope);
  return {
    operations: {
      ...signingOperations(signing, scope),
      ...auditWrites(scope.connection),
      ...valueWrites(scope, () => signing.probe()),
    },
    ...signingBatches(signing),
  };
}

function reading(opened: Connection) {
  const connection = withoutShapes(opened);
  const parts = {
    ...logReads(connection),
    ...keyReads(connection),
    ...entryReads(connection),
    ...auditReads(connection),
    ...filteredReads(connection),
    ...changeReads(connection),
    ...attestedReads(connection),
    ...receiptReads(connection),
    ...valueReads(connection),
  };
  return { ...parts, ...composedReads(parts), ...followedReads(parts), ...ownLogReads(parts) };
}
