import { decodeBase64 } from '../../../../receipts/format/base64.ts';
import { deriveScoreFact, scoreRun } from '../../../../receipts/format/score.ts';
import { isRecord } from '../../../../receipts/format/strict-json.ts';
import type { DecodedEnvelope, ReadArtefact } from '../../../../receipts/verifier/artefact.ts';
import { canonical, digestOf, joined, utf8 } from './bytes.ts';
import type { Key, Ways } from './keys.ts';
import type { Statement } from './statement.ts';

/** A check: it passed, failed, or could not be made (undefined). */
export type Check = readonly [name: string, passed: boolean | undefined, detail: string];

/** Finds the signature of a trusted key, or says why there is none. */
export async function signatureOf(
  { payload, payloadType, signatures }: DecodedEnvelope,
  { ed25519, keys }: Ways,
): Promise<{ readonly key: Key; readonly signature: Uint8Array } | Check> {
  const message = joined(utf8(`DSSEv1 ${utf8(payloadType).length} ${payloadType} ${payload.length} `), payload);
  let isTried = false;
  for (const { keyid, signature } of signatures)
    // A key id only says which keys to try (DSSE).
    for (const key of keys.filter(({ isReceipt, kid }) => isReceipt && (keyid ?? kid) === kid)) {
      if (await ed25519(key.publicKey, message, signature)) return { key, signature };
      isTried = true;
    }
  if (isTried) return ['envelope', false, 'no trusted key signed the payload'];
  const detail = 'the key that signed is not among the pinned receipt keys, or does not match its key id';
  return ['key_trusted', false, detail];
}

// The server's own judgement.
const opinions = ['signature_valid', 'checks', 'effective', 'resolution'];

/** Compares the members next to the envelope with the payload. */
export function copyOf(copy: ReadArtefact['copy'], { kind, predicate, run, text }: Statement): Check {
  const { at, receipt_id } = predicate;
  const { risk_level, trust_score } = run?.score ?? {};
  // Of a kind that is not known, nobody can say what other members copy.
  const timestamp = kind === '' ? undefined : (run?.finished_at ?? at);
  const yields = new Map(Object.entries({ receipt_id, risk_level, trust_score, timestamp }));
  const shown = Object.entries(copy).filter(([name]) => !opinions.includes(name));
  const same = shown.map(([name, value]) => {
    if (name === 'statement') return canonical(value) === text;
    return yields.get(name) === undefined ? undefined : value === yields.get(name);
  });
  const isOpen = same.includes(undefined) && kind === '';
  const passed = isOpen && !same.includes(false) ? undefined : same.every(Boolean);
  return ['readable_copy_matches', passed, 'a member differs from the payload'];
}

/** Computes the score again: the facts of a run determine it. */
export function scoreOf(run: NonNullable<Statement['run']>): Check {
  const { latency_ok, outcome_class } = run.score_fact;
  const derived = deriveScoreFact(run);
  const isDerived = derived.outcome_class === outcome_class && derived.latency_ok === latency_ok;
  const isScore = canonical(scoreRun(run)) === canonical(run.score);
  return ['score_recomputes', isDerived && isScore, 'the score is not that of the facts'];
}

/** Opens the commitments of a run with the values that are shown. */
export async function disclosureOf(all: readonly unknown[], { run }: Statement): Promise<readonly Check[]> {
  const given = all.filter((one) => one !== undefined);
  const shown = given.flatMap((one): [string, unknown][] => (isRecord(one) ? Object.entries(one) : [['', one]]));
  const opened = await Promise.all(shown.map(([name, value]) => opens(name, value, run)));
  const detail = 'inputs or outputs do not match the commitment in the receipt';
  return given.length === 0 ? [] : [['disclosure_matches_commitment', opened.every(Boolean), detail]];
}

async function opens(name: string, shown: unknown, run: Statement['run']): Promise<boolean> {
  if (run === undefined || (name !== 'inputs' && name !== 'outputs') || !isRecord(shown)) return false;
  const { salt, value } = shown;
  const [bytes, text] = [typeof salt === 'string' ? decodeBase64(salt) : undefined, canonical(value)];
  if (bytes === undefined || text === undefined) return false;
  return run.facts[name]?.commitment === `sha256:${await digestOf(bytes, utf8(text))}`;
}
