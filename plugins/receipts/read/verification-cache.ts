import { createHash } from 'node:crypto';
import { given } from '../../../kernel/index.ts';
import type { LogProofDocument, ReceiptDocument } from '../contract.ts';
import { envelopeOf } from '../format/dsse.ts';
import { verifySignature } from '../format/ed25519.ts';
import { nativeSha256 } from '../log/pure/native-sha.ts';
import type { StoredReceipt } from '../log/rows/stored-receipt.ts';
import type { VerifySignature } from '../format/portable-ed25519.ts';
import type { Report } from '../verifier/report.ts';
import { readStatement, type Statement } from '../verifier/statement.ts';
import type { Trust } from '../verifier/trust.ts';
import { verifyDocument } from '../verifier/verify.ts';

/** A receipt as read from its stored bytes, and the result of verifying them. */
export interface Examined {
  readonly artefact: Omit<ReceiptDocument, 'signature_valid' | 'checks'>;
  readonly statement: Statement | undefined;
  readonly report: Report;
}

type Risk = ReceiptDocument['risk_level'];

/** Verifies what was just read for a receipt: its row, and its proof if the store yields one. */
export type Examine = (row: StoredReceipt, proof: LogProofDocument | undefined) => Examined;

/** Makes an Examine that verifies every time, except that a checkpoint shared by receipts is verified once. */
export function examiner(trust: Trust, verifyOne: VerifySignature = verifySignature): Examine {
  const verify = eachOnce(verifyOne);
  const options = { verifySignature: verify, sha256: nativeSha256 };
  return (row, proof) => {
    const reading = readStatement(row.payload, trust.facts);
    const statement = 'statement' in reading ? reading.statement : undefined;
    const { receipt_id, trust_score, risk_level, timestamp } = row;
    const scored = { trust_score: trust_score ?? undefined, risk_level: (risk_level ?? undefined) as Risk };
    const envelope = envelopeOf(row.payload, row.signature, row.kid);
    const artefact = given({ receipt_id, ...scored, timestamp, statement, envelope, proof });
    return { artefact, statement, report: verifyDocument(artefact, trust, options) };
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

function digestOf(
  { payload, signature, ...columns }: StoredReceipt,
  proof: LogProofDocument | undefined,
  keyVersion: string,
): string {
  // The lengths separate the values unambiguously.
  const head = JSON.stringify([keyVersion, Object.entries(columns), proof ?? null, payload.length, signature.length]);
  return createHash('sha256').update(head).update('\0').update(payload).update(signature).digest('base64');
}
