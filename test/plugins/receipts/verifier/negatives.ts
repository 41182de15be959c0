import { canonical } from '../../../../kernel/index.ts';
import { encodeBase64 } from '../../../../plugins/receipts/format/base64.ts';
import { envelopeOf } from '../../../../plugins/receipts/format/dsse.ts';
import { privateKeyOf, rawPublicKey, signWith } from '../../../../plugins/receipts/format/ed25519.ts';
import { parseCheckpoint, type Checkpoint } from '../../../../plugins/receipts/log/pure/checkpoint.ts';
import { entryOf } from '../../../../plugins/receipts/log/pure/entry.ts';
import { cosigned, parseNote, signatureLine } from '../../../../plugins/receipts/log/pure/note.ts';
import { parsePolicy } from '../../../../plugins/receipts/log/pure/policy-file.ts';
import { noteKey } from '../../../../plugins/receipts/log/pure/vkey.ts';
import type { RunStatement } from '../../../../plugins/receipts/contract.ts';
import type { KnownTrees } from '../../../../plugins/receipts/verifier/last-seen.ts';
import { ReceiptSet, type SetClaim } from '../../../../plugins/receipts/verifier/receipt-set.ts';
import type { CheckName, Report } from '../../../../plugins/receipts/verifier/report.ts';
import { trustOf, type Trust } from '../../../../plugins/receipts/verifier/trust.ts';
import { verify, type VerifyOptions } from '../../../../plugins/receipts/verifier/verify.ts';
import { inLog } from './in-log.ts';
import { provedIn, signedEnvelope, vectorKeys, vectors, vectorStatement, vectorTrust } from '../sample.ts';

const { keys, run_receipt: run, malleability } = vectors;
const [receiptKey, logJwk] = vectorKeys.keys;
const seed = Buffer.from(keys.receipt_seed_hex, 'hex');
const publicKey = rawPublicKey(privateKeyOf(seed));
const { origin } = run.position;
const payload = Buffer.from(run.payload);
const { entry, envelope } = signedEnvelope(payload);
const others = ['one', 'two', 'three'].map((text) => Buffer.from(text));
const entries = [...others.slice(0, 2), entry, ...others.slice(2)];
const proof = provedIn(entries, 2);

/** A vector: everything in it is signed and logged as it must be but for the one thing that its verdict is about. */
export interface Negative {
  readonly verdict: CheckName;
  readonly name: string;
  report(): Report;
}

const negative = (verdict: CheckName, name: string, report: () => Report): Negative => ({ verdict, name, report });
const check = (artefact: object, trust: Trust = vectorTrust, options: VerifyOptions = {}): Report =>
  verify(JSON.stringify(artefact), trust, options);
const native = (change: object = {}) => ({ envelope, proof: { ...proof, ...change } });

/** Signs a changed statement and logs it. */
function changed(change: (statement: RunStatement) => void): object {
  const statement = vectorStatement();
  change(statement);
  const made = signedEnvelope(canonical(statement));
  return { envelope: made.envelope, proof: provedIn([made.entry]) };
}

/** Logs an envelope with whatever signature, so that all but the signature holds. */
function withSignature(signature: Uint8Array): object {
  const logged = entryOf(payload, signature, publicKey);
  return { envelope: envelopeOf(payload, signature, receiptKey?.kid ?? ''), proof: provedIn([logged]) };
}

const witness = privateKeyOf(Buffer.from(keys.witness_seed_hex, 'hex'));
const witnessKey = noteKey(keys.witness_name, rawPublicKey(witness), 'cosignature');
const [policy, asking] = ['none', 'w'].map((quorum) =>
  parsePolicy(`log ${run.log_vkey}\nwitness w ${keys.witness_vkey}\nquorum ${quorum}\n`),
);
const witnessed: Trust = { keys: vectorTrust.keys, ...(policy === undefined ? {} : { policy }) };
const demanding: Trust = { keys: vectorTrust.keys, ...(asking === undefined ? {} : { policy: asking }) };
const now = 1_763_670_000;

/** The checkpoint of the proof with a witness's line of a time. */
function cosignedAt(seconds: number, key = witnessKey, by = witness): string {
  const { text = '' } = parseNote(proof.checkpoint) ?? {};
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(seconds));
  return proof.checkpoint + signatureLine(key, Buffer.concat([time, signWith(by, cosigned(text, BigInt(seconds)))]));
}

/** Verifies the sample with a demand for freshness; without a time nobody has cosigned. */
export const freshAt = (seconds?: number): Report =>
  check(native(seconds === undefined ? {} : { checkpoint: cosignedAt(seconds) }), witnessed, {
    fresh: { now, maxAge: 3600 },
    demands: ['freshness'],
  });

const checkpointOf = (note: string): Checkpoint => {
  const parsed = parseCheckpoint(parseNote(note)?.text ?? '');
  if (parsed === undefined) throw new Error('no checkpoint');
  return parsed;
};
const claimed = checkpointOf(proof.checkpoint);
/** Verifies the sample beside trees that are known. */
export const beside = (known: KnownTrees, demands: readonly CheckName[] = ['consistency_with_last_seen']): Report =>
  check(native(), vectorTrust, { lastSeen: () => known, demands });
/** The tree of the first two entries. */
export const smaller = checkpointOf(provedIn(entries.slice(0, 2)).checkpoint);
// The first leaf's path ends in the root of the second pair.
const twoToFour = provedIn(entries, 0)
  .hashes.slice(-1)
  .map((hash) => Buffer.from(hash, 'base64'));

const inLogOf = (held: readonly Uint8Array[], name = origin): Report => inLog(check(native()), held, name);

/** Members of a chain: statements in order, each signed, all in one log. `mend` changes one before it is signed. */
export function chained(
  count: number,
  mend: (statement: RunStatement, at: number) => void = () => undefined,
): Report[] {
  let previous: string | undefined;
  const made = Array.from({ length: count }, (_, at) => {
    const statement = vectorStatement();
    statement.predicate.sequence = at + 1;
    if (previous !== undefined) statement.predicate.previous_digest = previous;
    mend(statement, at);
    const text = canonical(statement);
    previous = `sha256:${Buffer.from(sha256(text)).toString('hex')}`;
    return signedEnvelope(text);
  });
  const leaves = made.map((one) => one.entry);
  return made.map((one, at) => check({ envelope: one.envelope, proof: provedIn(leaves, at) }));
}

function sha256(text: string): Uint8Array {
  // The leaf holds the digest, so it need not be computed by other code here.
  const { entry: leaf } = signedEnvelope(text);
  const { spec } = JSON.parse(Buffer.from(leaf).toString()) as {
    spec: { dsseV002: { payloadHash: { digest: string } } };
  };
  return Buffer.from(spec.dsseV002.payloadHash.digest, 'base64');
}

/** What holds between receipts. */
export function together(reports: readonly Report[], claim: SetClaim = {}): Report {
  const set = new ReceiptSet(claim);
  for (const report of reports) set.take(report);
  return set.report().set;
}

const flipped = (text: string): string =>
  encodeBase64(Buffer.from(text, 'base64').map((byte, at) => (at === 9 ? byte ^ 1 : byte)));
const stranger = privateKeyOf(Buffer.alloc(32, 5));
const plusL = (): Uint8Array => {
  // S + L: the published pair of signatures gives L as the difference of their second halves.
  const [low, high] = [malleability.sig_b64, malleability.sig_S_plus_L_b64].map((text) =>
    little(Buffer.from(text, 'base64').subarray(32)),
  );
  const signature = Buffer.from(String((envelope.signatures[0] as { sig: string }).sig), 'base64');
  const sum = little(signature.subarray(32)) + (high ?? 0n) - (low ?? 0n);
  const bytes = Buffer.from(sum.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([signature.subarray(0, 32), bytes]);
};
const little = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const revoked = (index: number): Trust =>
  trustOf([{ ...receiptKey, status: 'revoked', revoked_at: { origin, index } }, logJwk]);
const disclosing = (disclosed: object): object => ({ ...native(), disclosed });
const salt = (name: 'inputs' | 'outputs') => Buffer.from(run.salts_hex[name], 'hex').toString('base64');

/** The vectors, by verdict. */
export const negatives: readonly Negative[] = [
  negative('envelope', 'signed by another key under the pinned key’s name', () =>
    check(withSignature(signWith(stranger, payload))),
  ),
  negative('envelope', 'a second signature of the same message, S + L', () => check(withSignature(plusL()))),
  negative('key_trusted', 'signed by a key pinned for another role', () =>
    check(native(), trustOf([{ ...receiptKey, role: 'certificate' }, logJwk])),
  ),
  negative('key_trusted', 'pinned under a name that is not the key’s', () => {
    const named = { ...envelope, signatures: envelope.signatures.map((one) => ({ ...one, keyid: 'A'.repeat(43) })) };
    return check({ envelope: named, proof }, trustOf([{ ...receiptKey, kid: 'A'.repeat(43) }, logJwk]));
  }),
  negative('key_trusted', 'the statement names another key', () =>
    check(changed(({ predicate }) => void (predicate.issuer.kid = 'A'.repeat(43)))),
  ),
  negative('statement_schema', 'an unknown member', () =>
    check(changed(({ predicate }) => void Object.assign(predicate, { tier: 'gold' }))),
  ),
  negative('statement_schema', 'a word that is none', () =>
    check(changed(({ predicate }) => void Object.assign(predicate, { mode: 'real' }))),
  ),
  negative('readable_copy_matches', 'another score', () => check({ ...native(), trust_score: 99 })),
  negative('readable_copy_matches', 'a member of its own', () => check({ ...native(), tier: 'gold' })),
  negative('readable_copy_matches', 'another statement', () => {
    const statement = vectorStatement();
    statement.predicate.tenant = 'other';
    return check({ ...native(), statement });
  }),
  negative('score_recomputes', 'a score its facts do not yield', () =>
    check(changed(({ predicate }) => void (predicate.score.trust_score = 99))),
  ),
  negative('score_recomputes', 'an outcome class its facts do not yield', () =>
    check(changed(({ predicate }) => void (predicate.score_fact.outcome_class = 'caller_fault'))),
  ),
  negative('leaf_matches_envelope', 'shown with the entry of another', () =>
    check(native({ leaf: encodeBase64(others[0] ?? entry) })),
  ),
  negative('leaf_matches_envelope', 'logged elsewhere than it says', () =>
    check(changed(({ predicate }) => void (predicate.log.origin = origin.replace(/0$/, '1')))),
  ),
  negative('inclusion', 'another index', () => check(native({ index: 3 }))),
  negative('inclusion', 'another path', () => check(native({ hashes: [...proof.hashes].reverse() }))),
  negative('checkpoint_signature', 'signed by a stranger in the name of the log', () => {
    const { text = '' } = parseNote(proof.checkpoint) ?? {};
    const line = signatureLine(noteKey(origin, rawPublicKey(stranger)), signWith(stranger, Buffer.from(text)));
    return check(native({ checkpoint: `${text}\n${line}` }));
  }),
  negative('checkpoint_signature', 'a flipped bit in the signature', () =>
    check(native({ checkpoint: proof.checkpoint.replace(/(\S+)\n$/, (_, text: string) => `${flipped(text)}\n`) })),
  ),
  negative('key_status_at_index', 'revoked at its very place', () => check(native(), revoked(2))),
  negative('key_status_at_index', 'revoked before', () => check(native(), revoked(0))),
  negative('witness_quorum', 'no witness has signed', () => check(native(), demanding)),
  negative('witness_quorum', 'a witness nobody asked for has signed', () => {
    const key = noteKey('grease.example', rawPublicKey(stranger), 'cosignature');
    return check(native({ checkpoint: cosignedAt(now, key, stranger) }), demanding);
  }),
  negative('freshness', 'seen too long ago', () => freshAt(now - 3601)),
  negative('freshness', 'seen more than five minutes ahead', () => freshAt(now + 301)),
  negative('freshness', 'seen at a time to come', () => freshAt(now + 3600)),
  negative('consistency_with_last_seen', 'another tree of the same size', () =>
    beside({ seen: [{ ...claimed, root: smaller.root }] }),
  ),
  negative('consistency_with_last_seen', 'a smaller tree that it does not begin with', () =>
    beside({ seen: [{ ...smaller, root: claimed.root }], proof: () => twoToFour }),
  ),
  negative('consistency_with_last_seen', 'a log that shows less than it has signed', () =>
    beside({ seen: [], live: smaller, proof: () => twoToFour }),
  ),
  negative('orbiset_chain', 'one place twice', () =>
    together(chained(3, ({ predicate }, at) => at === 2 && void (predicate.sequence = 2))),
  ),
  negative('orbiset_chain', 'out of order', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    return together(
      chained(2, ({ predicate }, at) => {
        predicate.sequence = 5 - at;
        predicate.previous_digest = digest;
      }),
    );
  }),
  negative('orbiset_chain', 'a gap where none may be', () =>
    together(
      chained(3, ({ predicate }, at) => at === 2 && void (predicate.sequence = 7)),
      { unbroken: true },
    ),
  ),
  negative('orbiset_chain', 'one that does not follow the one before it', () =>
    together(
      chained(2, ({ predicate }, at) => at === 1 && void (predicate.previous_digest = `sha256:${'b'.repeat(64)}`)),
    ),
  ),
  negative('completeness', 'the last is missing', () =>
    together(chained(3).slice(0, 2), { complete: true, origins: [origin] }),
  ),
  negative('completeness', 'the first is missing', () => together(chained(3).slice(1), { complete: true })),
  negative('completeness', 'a whole log is missing', () =>
    together(chained(2), { complete: true, origins: [origin, origin.replace(/0$/, '1')] }),
  ),
  negative('disclosure_matches_commitment', 'another value', () =>
    check(disclosing({ inputs: { salt: salt('inputs'), value: { ...run.values.inputs, subject: 'other' } } })),
  ),
  negative('disclosure_matches_commitment', 'another salt', () =>
    check(disclosing({ inputs: { salt: salt('outputs'), value: run.values.inputs } })),
  ),
  negative('in_this_log', 'another entry stands at its place', () => inLogOf([...others.slice(0, 2), ...others])),
  negative('in_this_log', 'the log of the server ends before it', () => inLogOf(entries.slice(0, 2))),
  negative('in_this_log', 'the server holds another log', () => inLogOf(entries, `${origin}-0123abcd`)),
  negative('in_this_log', 'it is shown in a branch that begins after it', () =>
    inLogOf([...entries.slice(0, 3), Buffer.from('other')]),
  ),
];

/** The same things with nothing wrong. */
export const positives: readonly (readonly [name: string, report: () => Report])[] = [
  ['the receipt', () => check(native())],
  [
    'the receipt with values that are disclosed',
    () => check(disclosing({ inputs: { salt: salt('inputs'), value: run.values.inputs } })),
  ],
  ['a receipt seen lately by a witness', () => freshAt(now - 3600)],
  ['a receipt whose witness is ahead by little', () => freshAt(now + 60)],
  ['a receipt whose witness is ahead by five minutes', () => freshAt(now + 300)],
  ['a receipt under a quorum that is met', () => check(native({ checkpoint: cosignedAt(now) }), demanding)],
  ['a receipt signed before the revocation', () => check(native(), revoked(3))],
  ['a tree that was seen before', () => beside({ seen: [claimed] })],
  ['a tree that begins with one seen before', () => beside({ seen: [smaller], proof: () => twoToFour })],
  ['a receipt in the log of the server', () => inLogOf(entries)],
  ['a receipt in the log of the server, which has grown since', () => inLogOf([...entries, ...others])],
  ['a receipt in the log of the server, which has lost what came after it', () => inLogOf(entries.slice(0, 3))],
  ['a chain', () => together(chained(3), { unbroken: true, complete: true, origins: [origin] })],
];
