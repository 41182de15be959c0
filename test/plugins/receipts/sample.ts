import { readFileSync } from 'node:fs';
import type { RunFact } from '../../../kernel/index.ts';
import { commitWith, type Commit } from '../../../plugins/receipts/commitment.ts';
import type { RunStatement } from '../../../plugins/receipts/contract.ts';
import { preAuthentication, envelopeOf } from '../../../plugins/receipts/dsse.ts';
import { payloadType } from '../../../plugins/receipts/contract.ts';
import { privateKeyOf, rawPublicKey, signWith } from '../../../plugins/receipts/ed25519.ts';
import { keySet } from '../../../plugins/receipts/jwk.ts';
import { trustOf, type Trust } from '../../../plugins/receipts/verifier/trust.ts';

interface Vectors {
  readonly rfc6962: {
    readonly leaf_inputs_hex: readonly string[];
    readonly leaf_hashes_b64: readonly string[];
    readonly roots_b64_by_size: Readonly<Record<string, string>>;
    readonly inclusion: Readonly<Record<string, readonly string[]>>;
    readonly consistency: Readonly<Record<string, readonly string[]>>;
  };
  readonly keys: Readonly<
    Record<
      | 'receipt_seed_hex'
      | 'receipt_kid_rfc7638'
      | 'log_seed_hex'
      | 'log_name'
      | 'log_vkey'
      | 'witness_seed_hex'
      | 'witness_name'
      | 'witness_vkey',
      string
    >
  >;
  readonly checkpoint: string;
  readonly tlog_proof: string;
  readonly tile_paths: Readonly<Record<string, string>>;
  readonly tiles_for_size: Readonly<Record<string, readonly string[]>>;
  readonly malleability: Readonly<Record<'message_utf8' | 'sig_b64' | 'sig_S_plus_L_b64' | 'pub_b64', string>>;
  readonly run_receipt: {
    readonly values: { readonly inputs: Record<string, unknown>; readonly outputs: Record<string, unknown> };
    readonly salts_hex: { readonly inputs: string; readonly outputs: string };
    readonly payload: string;
    readonly payload_sha256_hex: string;
    readonly pae_head: string;
    readonly pae_sha256_hex: string;
    readonly envelope: { readonly payload: string; readonly payloadType: string; readonly signatures: object[] };
    readonly spki_der_b64: string;
    readonly leaf: string;
    readonly leaf_hash_b64: string;
    readonly position: { readonly origin: string; readonly index: number };
    readonly log_vkey: string;
    readonly checkpoint: string;
    readonly tlog_proof: string;
    readonly deny_reason: { readonly message: string; readonly salt_hex: string; readonly reason: object };
  };
}

/** The published vectors. */
export const vectors = JSON.parse(readFileSync(new URL('./vectors.json', import.meta.url), 'utf8')) as Vectors;

/** The statement of the vector run. */
export function vectorStatement(): RunStatement {
  return JSON.parse(vectors.run_receipt.payload) as RunStatement;
}

/** Commits under given salts, in order. */
export function saltedBy(...salts: readonly string[]): Commit {
  const left = [...salts];
  return (value) => commitWith(Buffer.from(left.shift() ?? '', 'hex'), value);
}

/** The fact whose attesting yields the vector run, but for the commitment to the policy input. */
export function vectorFact(): RunFact {
  const { facts, ...predicate } = vectorStatement().predicate;
  const { policy } = facts;
  const { inputs, outputs } = vectors.run_receipt.values;
  return {
    kind: 'run',
    tenant: predicate.tenant,
    run_id: predicate.run_id,
    orbiset_id: predicate.orbiset_id,
    orb_id: predicate.orb_id,
    mode: predicate.mode,
    started_at: predicate.started_at,
    finished_at: predicate.finished_at,
    execution_ms: predicate.execution_ms,
    status: predicate.status,
    facts: facts,
    decision: {
      allow: true,
      ...(policy.decision_id === undefined ? {} : { decision_id: policy.decision_id }),
      ...(policy.revision === undefined ? {} : { revision: policy.revision }),
      policies: policy.policies,
      warns: policy.warns,
      shadow_denies: policy.shadow_denies,
    },
    inputs,
    outputs,
    standing: {
      tier: 'none',
      state: 'active',
      score: null,
      signed: false,
      is_self: false,
      caller_ref: predicate.score_fact.caller_ref ?? '',
    },
    retention_days: { inputs: 0, outputs: 0 },
  };
}

const privateKey = privateKeyOf(Buffer.from(vectors.keys.receipt_seed_hex, 'hex'));

/** The JWK Set that holds the vectors' receipt key. */
export const vectorKeys = keySet([
  {
    kid: vectors.keys.receipt_kid_rfc7638,
    role: 'receipt',
    status: 'active',
    public_key: rawPublicKey(privateKey),
    created_at: 1_700_000_000_000,
  },
]);

/** Trust in the vectors' receipt key. */
export const vectorTrust: Trust = trustOf(vectorKeys.keys);

/** Signs a payload with the vectors' receipt key, as text, so that a flaw of the payload is the only one. */
export function signedText(payload: string | Uint8Array, type: string = payloadType): string {
  const bytes = Buffer.from(payload);
  const signature = signWith(privateKey, preAuthentication(type, bytes));
  return JSON.stringify({ ...envelopeOf(bytes, signature, vectors.keys.receipt_kid_rfc7638), payloadType: type });
}
