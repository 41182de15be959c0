/**
 * What others may import of receipts: kinds of facts, the fixed words of the formats, and the schemas of a statement
 * and of a receipt. Pure: the portable verifier reads it too.
 */
import type { Infer, JsonSchema } from '../../kernel/index.ts';
import { keyStatement } from './kinds/key.ts';
import type { OtherStatement } from './kinds/kind.ts';
import { resolutionStatement } from './kinds/resolution.ts';
import { swapStatement } from './kinds/swap.ts';
import { runStatement, type RunStatement } from './run-statement.ts';

export { kinds, predicateType, type Kind } from './kinds/kind.ts';
export { runFacts, runPredicate, runScore, runStatement, scoreFact } from './run-statement.ts';
export type { RunFacts, RunPredicate, RunScore, RunStatement, ScoreFact } from './run-statement.ts';

/** `_type` of every statement (in-toto v1). */
export const statementType = 'https://in-toto.io/Statement/v1';
/** Media type of the payload in the DSSE envelope. */
export const payloadType = 'application/vnd.in-toto+json';
/** Largest statement, in bytes. */
export const statementLimit = 16_384;
/** What a receipt does not claim; stands in every one. */
export const nonClaims = ['inputs_true', 'provider_honest', 'act_wise', 'clock_exact'] as const;
/** Reasons of a denial that say the engine could not decide: no fault of the Orb, no decision of a policy. */
export const undecidedReasons: readonly string[] = [
  'policy_unavailable',
  'policy_error',
  'policy_timeout',
  'policy_overloaded',
  'policy_integrity',
];

/** Names the log of an installation's shard; also the name of its key. */
export function logOrigin(installation: string, shard = '0'): string {
  return `${installation}.orb/receipts/${shard}`;
}

/** Schema of a DSSE envelope with one signature over the statement in canonical form. */
export const envelope = {
  type: 'object',
  additionalProperties: false,
  required: ['payloadType', 'payload', 'signatures'],
  properties: {
    payloadType: { const: payloadType },
    payload: { type: 'string', description: 'base64 of the statement in canonical form (RFC 8785)' },
    signatures: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['keyid', 'sig'],
        properties: { keyid: { type: 'string' }, sig: { type: 'string', description: 'base64, Ed25519 over the PAE' } },
      },
    },
  },
} as const satisfies JsonSchema;
/** A DSSE envelope. */
export type Envelope = Infer<typeof envelope>;

const hashText = { type: 'string', description: 'base64 of 32 bytes' } as const;
const note = {
  type: 'string',
  description: 'C2SP signed note of the log: origin, size, root, signature lines',
} as const;

/** Schema of the proof that a receipt is in the log. */
export const logProof = {
  type: 'object',
  additionalProperties: false,
  required: ['origin', 'index', 'tree_size', 'hashes', 'leaf', 'checkpoint'],
  properties: {
    origin: { type: 'string', description: 'Name of the log' },
    index: { type: 'integer', minimum: 0 },
    tree_size: { type: 'integer', minimum: 1 },
    hashes: { type: 'array', items: hashText, description: 'RFC 6962 inclusion path, from the leaf up' },
    leaf: { type: 'string', description: 'base64 of the entry of the log' },
    checkpoint: note,
  },
} as const satisfies JsonSchema;
/** The proof that a receipt is in the log. */
export type LogProofDocument = Infer<typeof logProof>;

/** Schema of one verdict. */
export const verdict = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'result'],
  properties: {
    name: { type: 'string' },
    result: { type: 'string', enum: ['pass', 'fail', 'not_checked'] },
    detail: { type: 'string' },
  },
} as const satisfies JsonSchema;

const disclosedValue = {
  type: 'object',
  additionalProperties: false,
  required: ['salt', 'value'],
  properties: {
    salt: { type: 'string', description: 'base64' },
    value: { type: 'object', additionalProperties: true },
  },
} as const satisfies JsonSchema;

/** Schema of the answer of `GET /receipts/{receipt_id}`: everything beside `envelope` and `proof` is a copy for reading. */
export const receiptDocument = {
  $id: 'Receipt',
  type: 'object',
  additionalProperties: false,
  required: ['receipt_id', 'signature_valid', 'timestamp', 'envelope', 'checks'],
  properties: {
    receipt_id: { type: 'string' },
    trust_score: { type: 'integer', minimum: 0, maximum: 100, description: 'Of a run; no other kind has a score' },
    risk_level: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
    signature_valid: { type: 'boolean', description: 'Verified anew on every read' },
    timestamp: { type: 'string', description: 'RFC 3339 UTC: when the outcome was known, or when it happened' },
    statement: { anyOf: [runStatement, resolutionStatement, swapStatement, keyStatement] },
    envelope,
    proof: logProof,
    disclosed: {
      type: 'object',
      description: 'Kept values, each with the salt of its commitment; only when asked for',
      additionalProperties: false,
      properties: { inputs: disclosedValue, outputs: disclosedValue },
    },
    checks: { type: 'array', items: verdict },
    resolution: { type: 'string', description: 'The receipt that settled this run, whose outcome was unknown' },
    effective: {
      type: 'object',
      description: 'Present when a check failed: what the receipt is worth now',
      additionalProperties: false,
      required: ['trust_score', 'risk_level', 'reason'],
      properties: {
        trust_score: { const: 0 },
        risk_level: { const: 'critical' },
        reason: { type: 'string' },
      },
    },
  },
} as const satisfies JsonSchema;
/** A receipt with everything that proves it. */
export type ReceiptDocument = Omit<Infer<typeof receiptDocument>, 'statement'> & {
  readonly statement?: RunStatement | OtherStatement;
};
