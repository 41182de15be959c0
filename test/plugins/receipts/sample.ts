import { readFileSync } from 'node:fs';
import { canonical } from '../../../kernel/index.ts';
import { commitWith, type Commit } from '../../../plugins/receipts/format/commitment.ts';
import { type LogProofDocument, type RunStatement, payloadType } from '../../../plugins/receipts/contract.ts';
import { preAuthentication, envelopeOf } from '../../../plugins/receipts/format/dsse.ts';
import { privateKeyOf, rawPublicKey, signWith } from '../../../plugins/receipts/format/ed25519.ts';
import { encodeBase64 } from '../../../plugins/receipts/format/base64.ts';
import { keySet, thumbprint } from '../../../plugins/receipts/format/jwk.ts';
import { checkpointText, noteOf, signatureLine, noteKey } from '../../../plugins/receipts/log/pure/note.ts';
import { entryOf } from '../../../plugins/receipts/log/pure/entry.ts';
import { Frontier } from '../../../plugins/receipts/log/pure/frontier.ts';
import { type Subtrees, hashLeaf, inclusionProof, rootOf } from '../../../plugins/receipts/log/pure/tree.ts';
import { trustOf, type Trust } from '../../../plugins/receipts/verifier/trust.ts';
import type { RunFact } from '../../../plugins/runtime/contract.ts';

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
  return (text) => commitWith(Buffer.from(left.shift() ?? '', 'hex'), text);
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
    inputs: canonical(inputs),
    outputs: canonical(outputs),
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

const logPrivateKey = privateKeyOf(Buffer.from(vectors.keys.log_seed_hex, 'hex'));
const { origin: logName } = vectors.run_receipt.position;
const logKey = noteKey(logName, rawPublicKey(logPrivateKey));
const created_at = 1_700_000_000_000;

/** The JWK Set that holds the vectors' receipt key and the key of their log. */
export const vectorKeys = keySet([
  {
    ...{ kid: vectors.keys.receipt_kid_rfc7638, role: 'receipt', status: 'active', created_at },
    public_key: rawPublicKey(privateKey),
  },
  {
    ...{ kid: thumbprint(logKey.publicKey), role: 'log', status: 'active', created_at, origin: logName },
    public_key: logKey.publicKey,
  },
]);

/** Trust in the vectors' receipt key and log. */
export const vectorTrust: Trust = trustOf(vectorKeys.keys);

/** Proves entries to be in a log of the vectors' key that holds them alone; the proof is that of `index`. */
export function provedIn(entries: readonly Uint8Array[], index = 0, origin = logName): LogProofDocument {
  const leaves = entries.map((entry) => hashLeaf(entry));
  const subtrees: Subtrees = (height, n) =>
    Frontier.empty()
      .append(leaves.slice(n * 2 ** height, (n + 1) * 2 ** height))
      .root();
  const size = entries.length;
  const text = checkpointText({ origin, size: BigInt(size), root: rootOf(size, subtrees) });
  const key = noteKey(origin, logKey.publicKey);
  return {
    origin,
    index,
    tree_size: size,
    hashes: inclusionProof(index, size, subtrees).map(encodeBase64),
    leaf: encodeBase64(entries[index] ?? new Uint8Array()),
    checkpoint: noteOf(text, [signatureLine(key, signWith(logPrivateKey, Buffer.from(text)))]),
  };
}

/** Signs a payload with the vectors' receipt key. */
export function signedEnvelope(payload: string | Uint8Array, type: string = payloadType) {
  const bytes = Buffer.from(payload);
  const signature = signWith(privateKey, preAuthentication(type, bytes));
  const entry = entryOf(bytes, signature, rawPublicKey(privateKey));
  const kid = vectors.keys.receipt_kid_rfc7638;
  return { entry, envelope: { ...envelopeOf(bytes, signature, kid), payloadType: type } };
}

/** Signs a payload and logs it, as text, so that a flaw of the payload is the only one. */
export function signedText(payload: string | Uint8Array, type: string = payloadType): string {
  const { entry, envelope } = signedEnvelope(payload, type);
  return JSON.stringify({ envelope, proof: provedIn([entry]) });
}
