import { createHash, verify } from 'node:crypto';
import { canonical, type Answered } from '../../../../kernel/index.ts';
import { publicKeyOf } from '../../../receipts/contract.ts';
import type { certificateSchema } from './credential-schema.ts';
import { decodeBase58, encodeBase58 } from './multibase.ts';

/** The options of a Data Integrity proof (`eddsa-jcs-2022`), all of them signed; its context copies the document's. */
export type ProofOptions = Omit<Proof, 'proofValue'>;

type Proof = Answered<typeof certificateSchema>['proof'];

/** A document with its one proof. */
export type Secured<D> = D & { readonly proof: Proof };

/** Any JSON object. */
export type Document = Readonly<Record<string, unknown>>;

/** Computes what is signed: SHA-256 of the options and SHA-256 of the document, both in canonical form; 64 bytes. */
export function bytesToSign(document: object, options: object): Uint8Array {
  return Buffer.concat([sha256(canonical(options)), sha256(canonical(document))]);
}

/** Adds the proof to a document; `signature`: 64 bytes. */
export function withProof<D extends object>(document: D, options: ProofOptions, signature: Uint8Array): Secured<D> {
  return { ...document, proof: { ...options, proofValue: encodeBase58(signature) } };
}

/** Says whether the document's proof was made by this key (32 bytes) over the whole document. */
export function verifyProof(secured: Document, publicKey: Uint8Array): boolean {
  const { proof, ...document } = secured;
  if (!isRecord(proof)) return false;
  const { proofValue, ...options } = proof;
  if (options['type'] !== 'DataIntegrityProof' || options['cryptosuite'] !== 'eddsa-jcs-2022') return false;
  if (options['proofPurpose'] !== 'assertionMethod' || typeof proofValue !== 'string') return false;
  // The suite allows the document's context list to be longer than the signed one; this program never needs that.
  if (canonical(options['@context'] ?? null) !== canonical(document['@context'] ?? null)) return false;
  const signature = decodeBase58(proofValue);
  if (signature?.length !== 64) return false;
  return verify(null, bytesToSign(document, options), publicKeyOf(publicKey), signature);
}

/** Says whether a value is a JSON object. */
export function isRecord(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
