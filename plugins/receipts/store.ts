import { randomBytes } from 'node:crypto';
import {
  defineStore,
  rowWriter,
  whenKnown,
  type Awaitable,
  type AwaitableReads,
  type Connection,
  type NodeIdentity,
  type Value,
  type WriteConnection,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import { attestedReads } from './read/attested.ts';
import { auditMigration, auditPlacesMigration, auditReads, auditWriter, type AuditRecord } from './audit/tables.ts';
import { composedReads } from './read/composed.ts';
import { entryReads, othersMigration } from './read/entry-reads.ts';
import { refuseMisfit, type Appended } from './issue/append-receipt.ts';
import type { ReadHead } from './issue/chain.ts';
import { endLog, issueAdopted, logsLeftBy, type EndedLog } from './keys/shards/freeze.ts';
import { admitRevocation, type KeyChange } from './keys/change.ts';
import type { KeyChanged } from './keys/key-schema.ts';
import { keyMigration, keyNodesMigration, keyReads } from './keys/key-tables.ts';
import { shapeMigration } from './issue/shapes.ts';
import { filteredReads, listMigration, otherKindsMigration } from './read/filter.ts';
import { followedReads } from './log/stored/followed.ts';
import { freezeAll, logMigration, logReads, ownersMigration } from './log/stored/tables.ts';
import { storedColumns, storedReceipt, withoutShapes, withShapes, type StoredReceipt } from './read/stored-receipt.ts';
import { inChain } from './read/resolutions.ts';
import { sealedSeeds } from './keys/sealed-seeds.ts';
import { Signing } from './keys/signing.ts';
import type { ToAppend } from './issue/receipt-row.ts';

/** Inputs, outputs or the reason of a failure, to be kept for a limited time. */
export interface ValueToKeep {
  readonly receipt_id: string;
  readonly name: 'inputs' | 'outputs' | 'reason';
  /** salt ‖ canonical form; of a reason what `reasonToKeep` writes */
  readonly opening: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly erase_at: number;
}

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
];

/** The topic under which nodes tell each other of changes of keys and logs. */
export const signingKeys = 'signing-keys';

// Keys and logs are changed by one process at a time.
const signingGuard = 'signing';
// More than a receipt and its entry need.
const probeBytes = 65_536;

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
  const { connection, sealer } = scope;
  const signing = new Signing(scope, headReader(connection));
  const keep = rowWriter(connection, 'receipts_values', ['receipt_id', 'name', 'sealed', 'erase_at']);
  const erase = connection.prepare(
    `DELETE FROM receipts_values WHERE (receipt_id, name) IN (
       SELECT receipt_id, name FROM receipts_values WHERE erase_at <= ? ORDER BY erase_at LIMIT ?)`,
  );
  const eraseOf = connection.prepare('DELETE FROM receipts_values WHERE receipt_id = ?');
  const recordAudit = auditWriter(connection);
  return {
    operations: {
      ...logOperations(signing, scope),
      /** Takes the keys that other nodes have changed, and writes all public keys down in the state dir. */
      async learnKeys(_: object): Promise<void> {
        await signing.learn();
      },
      /** Signs with the certificate key, and verifies with its public half. */
      signCertificate({ message }: { readonly message: Uint8Array }): { kid: string; signature: Uint8Array } {
        const { kid, signVerified } = signing.held.certificate;
        return { kid, signature: signVerified(message) };
      },
      /** Stores the auditor's findings. */
      audited: (record: AuditRecord): void => recordAudit(record),
      /** Keeps inputs or outputs with their salt, or the reason of a failure, sealed. */
      keepValue({ opening, ...row }: ValueToKeep): void {
        keep({ ...row, sealed: sealer.seal('inputs', opening) });
      },
      /** Signs with both keys and writes as much as a receipt needs: commits when the next receipt can be issued. */
      probe(_: object): void {
        signing.probe();
        erase.queue(0, 1);
        keep({ receipt_id: 'probe', name: 'inputs', sealed: randomBytes(probeBytes), erase_at: 0 });
      },
      /** Erases values that are due (`before`: milliseconds since the Unix epoch), at most so many; answers how many. */
      eraseValues: ({ before, most }: { readonly before: number; readonly most: number }): Awaitable<number> =>
        erase.run(before, most),
      /** Erases all values that are kept of a receipt; answers how many. */
      eraseValuesOf: ({ receipt_id }: Pick<ValueToKeep, 'receipt_id'>): Awaitable<number> => eraseOf.run(receipt_id),
    },
    ...batchesOf(signing),
  };
}

// What adds entries to the log. The first one opens it, where the store is shared.
function logOperations(signing: Signing, { node }: WriterScope) {
  const openLog = (write: WriteContext): Promise<void> => {
    write.guard(signingGuard);
    write.tell(signingKeys, node.name);
    return signing.openLog();
  };
  return {
    /** Accepts a statement to be attested; it gets its position in the chain and its signature before the commit. */
    append(fact: ToAppend, write: WriteContext): Awaitable<Appended> {
      refuseMisfit(fact, (kid) => signing.isOurs(kid));
      const appended = { receipt_id: fact.receipt_id, signature_valid: false, sequence: 0, digest: '', index: 0 };
      write.defer({ fact, appended } satisfies Item);
      const preparing = signing.isOpen ? signing.prepare(fact) : openLog(write).then(() => signing.prepare(fact));
      return preparing instanceof Promise ? preparing.then(() => appended) : appended;
    },
    /** Rotates or revokes a signing key; a receipt of its own attests the change. */
    async changeKey(change: KeyChange, write: WriteContext): Promise<KeyChanged> {
      if (signing.isOpen) write.guard(signingGuard);
      else await openLog(write);
      write.tell(signingKeys, change.change);
      if (change.change === 'revoke') await admitRevocation(change, signing.parts);
      const role = change.change === 'rotate' ? change.role : 'receipt';
      const changed = { role, kid: '', receipt_id: '', position: { origin: '', index: 0 } };
      write.defer({ change, changed } satisfies Item);
      return changed;
    },
    /**
     * Freezes the log of a process that has ended; an entry of this process's log holds its last checkpoint. Answers the
     * origins that were frozen: none when that is done already.
     */
    async freeze(ended: NodeIdentity, write: WriteContext): Promise<readonly string[]> {
      write.guard(signingGuard);
      if (ended.incarnation === node.incarnation) throw new Error('a process cannot freeze its own log');
      // What an earlier start of this node left ends when the log of this one opens.
      const rows = ended.name === node.name ? [] : await logsLeftBy(ended, signing.parts);
      if (rows.length === 0) return [];
      if (!signing.isOpen) await openLog(write);
      write.tell(signingKeys, ended.name);
      for (const row of rows) write.defer({ ended: await endLog(row, signing.parts) } satisfies Item);
      return rows.map(({ origin }) => origin);
    },
  };
}

interface Change {
  readonly change: KeyChange;
  readonly changed: KeyChanged;
}

type Item = { readonly fact: ToAppend; readonly appended: Appended } | { readonly ended: EndedLog } | Change;

function batchesOf(signing: Signing) {
  const changeAll = async (changes: readonly Change[]): Promise<void> => {
    for (const { change, changed } of changes) await signing.change(change, changed);
  };
  const seal = (items: readonly Item[]): void => {
    signing.seal();
    // Valid for all: the checkpoint over the new log was signed twice alike, otherwise nothing commits.
    for (const item of items) if ('fact' in item) item.appended.signature_valid = true;
  };
  return {
    async open(write: Pick<WriteContext, 'guard'>): Promise<void> {
      // Of several processes that start at once, one makes the keys.
      write.guard(signingGuard);
      await signing.open();
    },
    beforeCommit(items: readonly object[]): Awaitable<void> {
      // Only `append` and `changeKey` defer.
      const all = items as readonly Item[];
      for (const item of all) if ('fact' in item) signing.issue(item.fact, item.appended);
      for (const item of all) if ('ended' in item) issueAdopted(item.ended, signing.keys, signing.parts);
      const changes = all.filter((item) => 'change' in item);
      return changes.length === 0 ? seal(all) : changeAll(changes).then(() => seal(all));
    },
    committed: () => signing.settle(),
    reload: () => signing.reload(),
    wentBack: () => signing.wentBack(),
  };
}

function headReader(connection: WriteConnection): ReadHead {
  const newest = connection.prepare(
    `SELECT sequence, digest FROM receipts_receipts
     WHERE orbiset_id = ? AND origin = ? AND sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1`,
  );
  return (orbisetId, origin) =>
    whenKnown(newest.get(orbisetId, origin), (row) =>
      row === undefined ? undefined : { sequence: Number(row['sequence']), digest: String(row['digest']) },
    );
}

function reading(opened: Connection) {
  const parts = partsOf(opened);
  return { ...parts, ...composedReads(parts), ...followedReads(parts) };
}

function partsOf(opened: Connection) {
  const connection = withoutShapes(opened);
  const receipts = <A extends Value[]>(rest: string) => {
    const statement = connection.prepare(`SELECT ${storedColumns} FROM ${withShapes} ${rest}`);
    return (...values: A): StoredReceipt[] => statement.all(...values).map(storedReceipt<StoredReceipt>);
  };
  const one = receipts<[string]>('WHERE receipt_id = ?');
  const unsettled = receipts<[runId: string]>(
    `WHERE run_id = ? AND (kind = 'resolution' OR status = 'indeterminate')
     ORDER BY CASE WHEN kind = 'resolution' THEN 1 ELSE 0 END, receipt_id`,
  );
  const kept = connection.prepare('SELECT sealed FROM receipts_values WHERE receipt_id = ? AND name = ?');
  return {
    ...logReads(connection),
    ...keyReads(connection),
    ...entryReads(connection),
    ...auditReads(connection),
    ...filteredReads(connection),
    ...attestedReads(connection),
    findReceipt: (receiptId: string) => one(receiptId)[0],
    /** The receipts of an unsettled run: its own first, then its resolutions, oldest first. */
    receiptsOfRun: (runId: string) => inChain(unsettled(runId)),
    /** A kept value with its salt, sealed; undefined when it was not kept or is erased. */
    keptValue: (receiptId: string, name: ValueToKeep['name']) =>
      kept.get(receiptId, name)?.['sealed'] as Uint8Array | undefined,
    /** Receipts of a log by their index and id, after those of one receipt, at most `limit`; none is left out when an index has two. */
    receiptsAfter: receipts<[log: number, idx: number, receiptId: string, limit: number]>(
      'WHERE r.log = ? AND (r.idx, r.receipt_id) > (?, ?) ORDER BY r.idx, r.receipt_id LIMIT ?',
    ),
    /** Receipts of a log that have no index in it, at most `limit`: a sound store has none. */
    receiptsWithoutPlace: receipts<[log: number, limit: number]>(
      'WHERE r.log = ? AND r.idx IS NULL ORDER BY r.receipt_id LIMIT ?',
    ),
    /** Receipts of a log by their index, from `first` on, at most `limit`. */
    receiptsFrom: receipts<[log: number, first: number, limit: number]>(
      'WHERE log = ? AND idx >= ? ORDER BY idx LIMIT ?',
    ),
  };
}
