import { heldVectors } from '../../receipts/held-sample.ts';
import { jwk, origin, signedAs } from '../../receipts/other-facts.ts';
import { provedIn, signedEnvelope, vectorKeys, vectors, vectorStatement } from '../../receipts/sample.ts';
import { thumbprint } from '../../../../plugins/receipts/format/jwk.ts';
import { verify, type VerifyOptions } from '../../../../plugins/receipts/verifier/verify.ts';
import { requiredOfAll } from '../../../../plugins/receipts/verifier/report.ts';
import { readTrust } from '../../../../plugins/receipts/verifier/trust.ts';

/** A change of a text: where, how many characters go, and what comes in their place. */
export type Edit = readonly [at: number, remove: number, put: string];

/** What the caller knows of the run. */
type Expected = Readonly<Record<string, unknown>>;

/** One case: a base document with edits, the keys to trust, what it is compared with, and the result. */
export interface ReceiptCase {
  readonly name: string;
  readonly base: string;
  readonly edits?: readonly Edit[];
  /** Name of a key set; `pinned` unless given. */
  readonly trust?: string;
  readonly expected?: Expected;
  readonly result: { readonly verified: true } | { readonly verified: false; readonly check: string };
}

const statement = vectorStatement();
const { inputs, outputs } = vectors.run_receipt.values;
const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
const opening = {
  inputs_salt: base64(vectors.run_receipt.salts_hex.inputs),
  outputs_salt: base64(vectors.run_receipt.salts_hex.outputs),
};
const summary = {
  receipt_id: statement.predicate.receipt_id,
  trust_score: statement.predicate.score.trust_score,
  risk_level: statement.predicate.score.risk_level,
  timestamp: statement.predicate.finished_at,
};
const { entry, envelope } = signedEnvelope(vectors.run_receipt.payload);
const others = [Buffer.from('before'), entry, Buffer.from('behind')];

/** The documents. */
export const documents = {
  run: JSON.stringify({ ...summary, statement, envelope, proof: provedIn(others, 1), signature_valid: true }),
  envelope: JSON.stringify(envelope),
  alone: JSON.stringify({ envelope, proof: provedIn([entry]) }),
  held: JSON.stringify(heldVectors.run.artefact),
  summary: JSON.stringify({ ...summary, signature_valid: true }),
} as const;

/** What the run is compared with. */
export const expected: Expected = {
  run_id: statement.predicate.run_id,
  orb_id: statement.predicate.orb_id,
  status: 'completed',
  manifest: statement.predicate.facts.orb.manifest_digest,
  ...{ inputs, outputs, opening },
};

const [receiptKey, logKey] = vectorKeys.keys;
const next = { ...jwk, kid: thumbprint(Buffer.from(jwk.x, 'base64url')), role: 'receipt', status: 'active' };

/** The sets of keys. */
export const keySets: Readonly<Record<string, { readonly keys: readonly unknown[] }>> = {
  pinned: vectorKeys,
  none: { keys: [] },
  other: { keys: [next, logKey] },
  'receipt key alone': { keys: [receiptKey] },
  'a log key as receipt key': { keys: [{ ...receiptKey, role: 'log' }, logKey] },
  'a key id of another key': { keys: [{ ...receiptKey, x: jwk.x }, logKey] },
  'revoked before': { keys: [{ ...receiptKey, status: 'revoked', revoked_at: { origin, index: 1 } }, logKey] },
  'revoked behind': { keys: [{ ...receiptKey, status: 'revoked', revoked_at: { origin, index: 2 } }, logKey] },
  'revoked always': { keys: [{ ...receiptKey, status: 'revoked' }, logKey] },
  retired: { keys: [{ ...receiptKey, status: 'retired' }, logKey] },
};

const rotated = signedAs(
  'key',
  { kid: next.kid, at: statement.predicate.finished_at },
  { role: 'receipt', change: 'rotated', public_key: jwk, previous_kid: receiptKey?.kid },
  next.kid,
);

/** Changes of keys: the pinned set, the receipt of the change, and the ids that are pinned then. */
export const changes = [
  {
    name: 'a rotation signed by the pinned key',
    trust: 'pinned',
    document: rotated,
    pinned: [logKey?.kid, next.kid, receiptKey?.kid].sort(),
  },
  {
    name: 'the same, while another key is pinned',
    trust: 'other',
    document: rotated,
    pinned: [logKey?.kid, next.kid].sort(),
  },
  {
    name: 'the receipt of a run',
    trust: 'pinned',
    document: documents.run,
    pinned: [logKey?.kid, receiptKey?.kid].sort(),
  },
];

type Name = keyof typeof documents;

/** Replaces the first place of a text in a document. */
function edit(base: Name, find: string, put: string): Edit {
  const at = documents[base].indexOf(find);
  if (at < 0) throw new Error(`${base} does not hold ${find}`);
  return [at, find.length, put];
}

const [{ sig }] = envelope.signatures as unknown as readonly [{ readonly sig: string }];
const proof = provedIn(others, 1);
const flipped = (text: string): string => (text.startsWith('A') ? `B${text.slice(1)}` : `A${text.slice(1)}`);
const malleable = vectors.malleability.sig_S_plus_L_b64;
const rootLine = proof.checkpoint.split('\n')[2] ?? '';
const noteLine = proof.checkpoint.split('— ')[1]?.split(' ')[1]?.trim() ?? '';

const edited: readonly (readonly [name: string, ...edits: Edit[]])[] = [
  ['one byte of the signature', edit('run', sig, flipped(sig))],
  ['the signature of another message', edit('run', sig, malleable)],
  [
    'one byte of the payload',
    edit('run', envelope.payload, `${envelope.payload.slice(0, 400)}${flipped(envelope.payload.slice(400))}`),
  ],
  ['another type of payload', edit('run', 'application/vnd.in-toto+json', 'application/vnd.in-toto+jsom')],
  ['an unknown key id', edit('run', `"keyid":"${receiptKey?.kid}"`, `"keyid":"${next.kid}"`)],
  ['a score that is not signed', edit('run', '"trust_score":', '"trust_score":1')],
  [
    'a time that is not signed',
    edit('run', `"timestamp":"${summary.timestamp}"`, '"timestamp":"2026-01-01T00:00:00.000Z"'),
  ],
  ['a member that nothing signs', edit('run', '{"receipt_id"', '{"tier":"gold","receipt_id"')],
  ['a statement next to the envelope that differs', edit('run', '"mode":"live"', '"mode":"sandbox"')],
  ['another position', edit('run', '"index":1', '"index":0')],
  ['another size of the tree', edit('run', '"tree_size":3', '"tree_size":4')],
  ['another hash of the path', edit('run', proof.hashes[0] ?? '', flipped(proof.hashes[0] ?? ''))],
  ['the entry of another', edit('run', proof.leaf, Buffer.from('before').toString('base64'))],
  ['another root', edit('run', rootLine, flipped(rootLine))],
  [
    'one byte of the signature of the log',
    edit('run', noteLine, `${noteLine.slice(0, 40)}${flipped(noteLine.slice(40))}`),
  ],
  ['a member twice', edit('run', '{"receipt_id"', '{"receipt_id":"rec_0","receipt_id"')],
  ['two envelopes', edit('run', '{"receipt_id"', '{"payload":"","receipt_id"')],
  ['a cut text', [1000, documents.run.length - 1000, '']],
  ['no text', [0, documents.run.length, '']],
];

const compared: readonly (readonly [name: string, check: string, more: Expected])[] = [
  ['another run', 'run_id', { run_id: 'run_01M7X8PQG00000000000000009' }],
  ['another Orb', 'orb_id', { orb_id: 'notify.email@1.0.1' }],
  ['another status', 'status', { status: 'failed' }],
  ['another manifest', 'manifest_digest', { manifest: `sha256:${'0'.repeat(64)}` }],
  ['other inputs', 'disclosure_matches_commitment', { inputs: { ...inputs, to: 'eve@example.com' } }],
  ['other outputs', 'disclosure_matches_commitment', { outputs: { message_id: '<2@example.com>' } }],
  ['another salt', 'disclosure_matches_commitment', { opening: { ...opening, outputs_salt: opening.inputs_salt } }],
  ['no salts', 'disclosure_matches_commitment', { opening: undefined }],
];

/** Applies edits, each at a place of the text before it. */
export function applied(text: string, edits: readonly Edit[] = []): string {
  return edits.reduce((all, [at, remove, put]) => all.slice(0, at) + put + all.slice(at + remove), text);
}

/** Answers the result of the product's verifier. */
export function resultOf(text: string, trust: string, options: VerifyOptions = {}): ReceiptCase['result'] {
  const keys = readTrust(JSON.stringify(keySets[trust])) ?? { keys: [] };
  const { checks, exit, hint, overall } = verify(text, keys, options);
  if (exit === 0) return { verified: true };
  const failed = checks.find(({ result }) => result === 'fail')?.name;
  if (failed !== undefined) return { verified: false, check: failed };
  if (hint !== undefined) return { verified: false, check: overall === 'NOTHING-TO-VERIFY' ? 'envelope' : 'malformed' };
  const isMade = (name: string): boolean => checks.some((one) => one.name === name && one.result === 'pass');
  return { verified: false, check: requiredOfAll.find((name) => !isMade(name)) ?? '' };
}

/** Makes the cases. */
export function receiptCases(): readonly ReceiptCase[] {
  const plain = (Object.keys(documents) as Name[]).map((base) => ({ name: base, base, trust: 'pinned' }));
  const trusts = Object.keys(keySets).map((trust) => ({ name: `keys: ${trust}`, base: 'run', trust }));
  const judged = [
    ...[...plain, ...trusts],
    ...edited.map(([name, ...edits]) => ({ name, base: 'run', edits, trust: 'pinned' })),
  ].map((one) => ({
    ...one,
    result: resultOf(
      applied(documents[one.base as Name], 'edits' in one ? (one.edits as readonly Edit[]) : []),
      one.trust,
    ),
  }));
  const base = { base: 'run', trust: 'pinned' };
  return [
    ...judged,
    { ...base, name: 'all that is expected', expected, result: { verified: true } },
    ...compared.map(([name, check, more]) => ({
      ...{ ...base, name, expected: JSON.parse(JSON.stringify({ ...expected, ...more })) as Expected },
      result: { verified: false as const, check },
    })),
  ];
}

/** The mutations that README.md describes: one letter each, but in the name of the key id, which only narrows. */
export const mutations = (() => {
  const text = documents.run;
  const skip = text.indexOf('"keyid"') + 1;
  return { base: 'run', count: 3000, step: 7919, skip: [[skip, skip + 'keyid'.length]] };
})();
