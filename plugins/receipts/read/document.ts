import type { ReceiptDocument, LogProofDocument } from '../contract.ts';
import { kindOf } from '../kinds/kind.ts';
import type { Prove } from '../log/stored/read-proof.ts';
import type { Reads } from '../store.ts';
import type { StoredReceipt } from '../log/rows/stored-receipt.ts';
import { isRevokedOnly, type Check, type Report, type Values } from '../verifier/report.ts';
import { type Statement, readStatement } from '../verifier/statement.ts';
import type { Trust } from '../verifier/trust.ts';
import { digest, given } from '../../../kernel/index.ts';
import { createHash } from 'node:crypto';
import { envelopeOf } from '../format/dsse.ts';
import { verifySignature } from '../format/ed25519.ts';
import { nativeSha256 } from '../log/stored/tables.ts';
import type { VerifySignature } from '../format/portable-ed25519.ts';
import { namedDecisions, type DecisionsAtHand } from '../verifier/approval.ts';
import { verifyDocument, withApproval } from '../verifier/verify.ts';

/** The owner of a receipt. */
export interface Owner {
  /** Tenants in the row and the payload: one, unless the row was edited. Null: the installation. */
  readonly tenants: ReadonlySet<string | null>;
  readonly kind: string;
}

interface DocumentOptions {
  readonly examine?: Examine;
  readonly prove: Prove;
  /** The decisions on the run, if people were asked about it; absent: they are not compared. */
  readonly decisions?: DecisionsAtHand;
}

type DocumentReads = Pick<Reads, 'receiptsOfRun'>;

/**
 * Builds the answer for a stored receipt and verifies it all again: signature, payload, copies, score, row, log.
 * `examine` replaces the default function, which shares nothing between receipts.
 */
export function documentOf(
  row: StoredReceipt,
  trust: Trust,
  reads: DocumentReads,
  { examine = examiner(trust), prove, decisions }: DocumentOptions,
) {
  const { artefact, kind, statement, ...examined } = examine(row, prove(row.idx));
  const { report } = decisions === undefined ? examined : withApproval({ ...examined, statement }, { decisions });
  const rowCheck = checkRow(row, report.values);
  const valid = report.exit === 0 && rowCheck.result === 'pass';
  const checks = [...report.checks, rowCheck];
  const document: ReceiptDocument = {
    ...{ ...artefact, signature_valid: valid, ...resolutionOf(row, reads) },
    checks: checks.map(({ name, result }) => ({ name, result })),
    ...(valid ? {} : { effective: { trust_score: 0, risk_level: 'critical', reason: reasonOf(report, checks) } }),
  };
  /** As in `orb receipts verify`. */
  const exit: Report['exit'] = valid ? 0 : report.exit || 1;
  /** Nothing fails but that the key was revoked at or before the position of the receipt. */
  const revoked = !valid && rowCheck.result === 'pass' && isRevokedOnly(report.checks);
  return { document, owner: ownerOf(row, statement, kind), exit, revoked };
}

// Only a run with an unknown outcome can be resolved.
function resolutionOf({ run_id, status }: StoredReceipt, reads: DocumentReads): { readonly resolution?: string } {
  if (run_id === null || status !== 'indeterminate') return {};
  const latest = reads.receiptsOfRun(run_id).at(-1);
  return latest?.kind === 'resolution' ? { resolution: latest.receipt_id } : {};
}

type RowCheck = Omit<Check, 'name'> & { readonly name: 'stored_row_matches' };

// Columns that copy a value of the payload.
const copies = [
  ...(['kind', 'run_id', 'tenant', 'orbiset_id', 'orb_id', 'status', 'sequence'] as const),
  ...(['origin', 'kid', 'timestamp', 'trust_score', 'risk_level'] as const),
];

// The other columns are copies too: lists and chains are read from them.
function checkRow(row: StoredReceipt, values: Values | undefined): RowCheck {
  const name = 'stored_row_matches';
  if (values === undefined) return { name, result: 'not_checked', detail: 'the payload was not accepted' };
  const same = copies.every((column) => row[column] === (values[column] ?? null)) && row.digest === digest(row.payload);
  return same ? { name, result: 'pass' } : { name, result: 'fail', detail: 'the stored row differs from the payload' };
}

function ownerOf(row: StoredReceipt, statement: Statement | undefined, kind = row.kind): Owner {
  const signed = statement === undefined ? row.tenant : (statement.predicate.tenant ?? null);
  return { tenants: new Set([row.tenant, signed]), kind };
}

function reasonOf({ hint }: Report, checks: readonly (Check | RowCheck)[]): string {
  const failed = checks.find(({ result }) => result === 'fail');
  if (failed === undefined) return hint ?? 'a required check could not be made';
  return `${failed.name}: ${failed.detail ?? 'failed'}`;
}

/** A receipt as read from its stored bytes, and the result of verifying them. */
type Examined = ReturnType<Examine>;

type Risk = ReceiptDocument['risk_level'];

/** Verifies what was just read for a receipt: its row, and its proof if the store yields one. */
export type Examine = ReturnType<typeof examiner>;

/** Makes an Examine that verifies every time, except that a checkpoint shared by receipts is verified once. */
export function examiner(trust: Trust, verifyOne: VerifySignature = verifySignature) {
  const verify = eachOnce(verifyOne);
  const options = { verifySignature: verify, sha256: nativeSha256 };
  return (row: StoredReceipt, proof: LogProofDocument | undefined) => {
    const reading = readStatement(row.payload, trust.facts);
    const statement: Statement | undefined = 'statement' in reading ? reading.statement : undefined;
    const { receipt_id, trust_score, risk_level, timestamp } = row;
    const scored = { trust_score: trust_score ?? undefined, risk_level: (risk_level ?? undefined) as Risk };
    const envelope = envelopeOf(row.payload, row.signature, row.kid);
    const artefact: Omit<ReceiptDocument, 'signature_valid' | 'checks'> = given({
      receipt_id,
      ...scored,
      timestamp,
      statement,
      envelope,
      proof,
    });
    // Undefined: the statement could not be read.
    const kind = kindOf(statement?.predicateType);
    const named = namedDecisions(statement);
    return { artefact, statement, kind, named, report: verifyDocument(artefact, trust, options) };
  };
}

const longestCheckpoint = 1024;

// A verified signature stays valid: same key, same message, same 64 bytes.
function eachOnce(verify: VerifySignature): VerifySignature {
  let latest: { readonly key: Uint8Array; readonly message: Uint8Array; readonly signature: Uint8Array } | undefined;
  return (key, message, signature) => {
    if (latest !== undefined && isSame(latest.signature, signature))
      if (isSame(latest.message, message) && isSame(latest.key, key)) return true;
    const valid = verify(key, message, signature);
    // Statements are longer than checkpoints and not shared by receipts, so they are not kept.
    if (valid && message.length < longestCheckpoint) latest = { key, message, signature };
    return valid;
  };
}

/** Says whether two byte strings are the same, by the runtime. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

const mostKept = 1024;

/**
 * Makes an Examine that caches results by the SHA-256 of exactly the bytes read and the version of the keys: an edited
 * row, entry or proof is not in the cache and is verified.
 */
export function remembering(examine: Examine, keyVersion: () => string): Examine {
  const known = new Map<string, Examined>();
  return (row, proof) => {
    const name = digestOf(row, proof, keyVersion());
    const found = known.get(name) ?? examine(row, proof);
    // Moved to the end, so that the least recently read is dropped first.
    known.delete(name);
    known.set(name, found);
    if (known.size > mostKept) known.delete(known.keys().next().value ?? '');
    return found;
  };
}

function digestOf(row: StoredReceipt, proof: LogProofDocument | undefined, keyVersion: string): string {
  const { payload, signature, ...columns } = row;
  // The lengths separate the values unambiguously.
  const head = JSON.stringify([keyVersion, Object.entries(columns), proof ?? null, payload.length, signature.length]);
  return createHash('sha256').update(head).update('\0').update(payload).update(signature).digest('base64');
}
