import { hash } from 'node:crypto';
import {
  defineStore,
  PlatformError,
  type Connection,
  type Row,
  type WriteContext,
  type WriterScope,
} from '../../kernel/index.ts';
import { Chains } from './chain.ts';
import { payloadType, statementLimit } from './contract.ts';
import { preAuthentication } from './dsse.ts';
import type { PublicKey } from './jwk.ts';
import { mirrorKeys } from './key-file.ts';
import { createKey, openSigner, type Signer, type StoredKey } from './signer.ts';
import { completeStatement } from './statement.ts';
import type { ToAppend } from './to-append.ts';

/** What became of an append; complete once the write resolves. */
export interface Appended {
  readonly receipt_id: string;
  /** The signature was verified with the published key. */
  signature_valid: boolean;
  /** Place in the chain of its Orbiset; 0 for what is in none. */
  sequence: number;
  /** `sha256:<hex>` of the payload. */
  digest: string;
}

/** Inputs or outputs to be kept for a while. */
export interface ValueToKeep {
  readonly receipt_id: string;
  readonly name: 'inputs' | 'outputs';
  /** salt ‖ canonical form */
  readonly opening: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly erase_at: number;
}

/** A receipt as it is stored: the payload, its signature, and copies of its members for reading. */
export interface StoredReceipt {
  readonly receipt_id: string;
  readonly kind: string;
  readonly run_id: string | null;
  /** Null: the installation's own. */
  readonly tenant: string | null;
  readonly orbiset_id: string | null;
  readonly orb_id: string | null;
  readonly status: string | null;
  readonly origin: string;
  /** Null: in no chain. */
  readonly sequence: number | null;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly kid: string;
  readonly digest: string;
  readonly timestamp: string;
  readonly trust_score: number | null;
  readonly risk_level: string | null;
}

/** Reads of the plugin, on committed rows. */
export interface Reads {
  /** All public keys, oldest first. */
  keys(): PublicKey[];
  findReceipt(receiptId: string): StoredReceipt | undefined;
}

const columns = [
  ...['receipt_id', 'kind', 'run_id', 'tenant', 'orbiset_id', 'orb_id', 'status', 'origin', 'sequence'],
  ...['payload', 'signature', 'kid', 'digest', 'timestamp', 'trust_score', 'risk_level'],
];

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
];

/** The store of receipts: keys, the signed chain of every Orbiset, values kept for a while. */
export default defineStore({ name: 'receipts', migrations, write: writing, read: reading });

function writing(scope: WriterScope) {
  const { connection, sealer } = scope;
  const signer = openKeys(scope);
  const chains = new Chains(headReader(connection));
  const issue = issuer(connection, signer, chains);
  const keep = connection.prepare(
    'INSERT INTO receipts_values (receipt_id, name, sealed, erase_at) VALUES (?, ?, ?, ?)',
  );
  const erase = connection.prepare('DELETE FROM receipts_values WHERE erase_at <= ?');
  return {
    operations: {
      /** Takes a statement to be attested; its place in the chain and its signature come before the commit. */
      append(fact: ToAppend, write: WriteContext): Appended {
        refuseMisfit(fact, signer);
        const appended = { receipt_id: fact.receipt_id, signature_valid: false, sequence: 0, digest: '' };
        write.defer({ fact, appended } satisfies Item);
        return appended;
      },
      /** Keeps inputs or outputs with their salt, sealed. */
      keepValue({ receipt_id, name, opening, erase_at }: ValueToKeep): void {
        keep.run(receipt_id, name, sealer.seal('inputs', opening), erase_at);
      },
      /** Erases the values whose time has come (`before`: milliseconds since the Unix epoch); answers how many. */
      eraseValues: ({ before }: { readonly before: number }): number => erase.run(before),
    },
    beforeCommit(items: readonly object[]): void {
      chains.begin();
      // Only `append` defers.
      for (const item of items) issue(item as Item);
    },
    committed: () => chains.settle(),
    reload: () => chains.reset(),
  };
}

interface Item {
  readonly fact: ToAppend;
  readonly appended: Appended;
}

// Room for `previous_digest` and the longest `sequence`.
const writerMembers = 128;

function refuseMisfit({ kid, statement }: ToAppend, signer: Signer): void {
  const parts = typeof statement === 'string' ? [statement] : [statement.head, statement.middle, statement.tail];
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), writerMembers);
  if (bytes > statementLimit)
    throw new PlatformError('internal', `the statement has ${bytes} bytes; at most ${statementLimit} are attested`);
  if (kid !== signer.kid) throw new PlatformError('internal', 'the statement names a key that does not sign');
}

function issuer(connection: Connection, signer: Signer, chains: Chains): (item: Item) => void {
  const places = columns.map(() => '?').join(', ');
  const insert = connection.prepare(`INSERT INTO receipts_receipts (${columns.join(', ')}) VALUES (${places})`);
  return ({ fact, appended }) => {
    const { run_id = null, tenant = null, orbiset_id = null, orb_id = null, status = null } = fact;
    const { text, sequence } = place(fact, chains);
    const payload = Buffer.from(text);
    const signature = signer.sign(preAuthentication(payloadType, payload));
    const digest = `sha256:${hash('sha256', payload, 'hex')}`;
    insert.run(
      ...[fact.receipt_id, fact.kind, run_id, tenant, orbiset_id, orb_id, status, fact.origin, sequence ?? null],
      ...[payload, signature, fact.kid, digest, fact.timestamp, fact.trust_score ?? null, fact.risk_level ?? null],
    );
    if (sequence !== undefined) chains.extend(fact.orbiset_id ?? '', fact.origin, { sequence, digest });
    appended.sequence = sequence ?? 0;
    appended.digest = digest;
    // `sign` has verified it, or thrown.
    appended.signature_valid = true;
  };
}

/** Completes a statement with its place in the chain of its Orbiset, if it belongs in one. */
function place({ statement, orbiset_id, origin }: ToAppend, chains: Chains): { text: string; sequence?: number } {
  if (typeof statement === 'string') return { text: statement };
  const previous = chains.head(orbiset_id ?? '', origin);
  const sequence = (previous?.sequence ?? 0) + 1;
  return { text: completeStatement(statement, sequence, previous?.digest), sequence };
}

function headReader(connection: Connection) {
  const newest = connection.prepare(
    'SELECT sequence, digest FROM receipts_receipts WHERE orbiset_id = ? AND origin = ? ORDER BY sequence DESC LIMIT 1',
  );
  return (orbisetId: string, origin: string) => {
    const row = newest.get(orbisetId, origin);
    return row === undefined ? undefined : { sequence: Number(row['sequence']), digest: String(row['digest']) };
  };
}

/** Opens the active receipt key, made at the first start, and publishes the public keys. */
function openKeys({ connection, sealer, stateDir, now }: WriterScope): Signer {
  const all = connection.prepare('SELECT * FROM receipts_signing_keys ORDER BY created_at, kid');
  let keys = all.all().map(storedKey);
  if (!keys.some(({ role }) => role === 'receipt')) {
    const { kid, role, public_key, sealed, status, created_at } = createKey('receipt', sealer, now());
    connection
      .prepare(
        'INSERT INTO receipts_signing_keys (kid, role, public_key, sealed, status, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(kid, role, public_key, sealed, status, created_at);
    keys = all.all().map(storedKey);
  }
  const active = keys.filter(isActiveReceiptKey);
  const [key] = active;
  if (key === undefined || active.length > 1) throw new Error(`${active.length} receipt keys are active; one must be`);
  const signer = openSigner(key, sealer);
  mirrorKeys(stateDir, keys);
  return signer;
}

/** Says whether a key is the one that signs receipts. */
export function isActiveReceiptKey({ role, status }: PublicKey): boolean {
  return role === 'receipt' && status === 'active';
}

// The columns are typed by the migration; this and the next are where rows become values.
function storedKey(row: Row): StoredKey {
  return { ...publicKey(row), sealed: row['sealed'] as Uint8Array };
}

function publicKey(row: Row): PublicKey {
  const { kid, role, status, public_key, created_at } = row as unknown as PublicKey;
  return { kid, role, status, public_key, created_at };
}

function reading(connection: Connection): Reads {
  const keys = connection.prepare(
    'SELECT kid, role, status, public_key, created_at FROM receipts_signing_keys ORDER BY created_at, kid',
  );
  const receipt = connection.prepare(`SELECT ${columns.join(', ')} FROM receipts_receipts WHERE receipt_id = ?`);
  return {
    keys: () => keys.all().map(publicKey),
    findReceipt: (receiptId) => receipt.get(receiptId) as StoredReceipt | undefined,
  };
}
