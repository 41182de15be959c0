import { deriveScoreFact, scoreRun } from '../../../../receipts/format/score.ts';
import { isBefore, type LogPosition } from '../../../../receipts/verifier/position.ts';
import { isObject } from './object.ts';
import type { Json } from './object.ts';
import { decodeBase64, type Bytes } from './base64.ts';
import { canonical, digestOf, isSame, joined, utf8 } from './bytes.ts';
import type { Check, Ways } from './envelope.ts';
import type { Key } from './keys.ts';
import { entryOf, isIncluded, signersOf, type Claim } from './log.ts';
import type { Statement } from './statement.ts';

/** The checks of the position in a log, but that of the status of the key. */
export const ofLog = ['leaf_matches_envelope', 'inclusion', 'checkpoint_signature'] as const;

// The last four are the server's own judgement.
const apart = [
  ...['envelope', 'proof', 'consistency', 'decisions', 'disclosed'],
  ...['signature_valid', 'checks', 'effective', 'resolution'],
];

/** Compares the members next to the envelope with the payload. */
export function copyOf(artefact: Json, { head, other, run, text }: Statement): Check {
  const { risk_level, trust_score } = run?.score ?? {};
  const yields: Json = {
    receipt_id: head.receipt_id,
    risk_level,
    trust_score,
    timestamp: run?.finished_at ?? other?.at,
  };
  const shown = Object.entries(artefact).filter(([name]) => !apart.includes(name));
  const isKnown = (name: string): boolean =>
    name === 'statement' || (Object.hasOwn(yields, name) && yields[name] !== undefined);
  const differs = shown.some(([name, value]) =>
    name === 'statement' ? canonical(value) !== text : isKnown(name) && value !== yields[name],
  );
  const hasOthers = !shown.every(([name]) => isKnown(name));
  // Of a kind that is not known, nobody can say what other members copy.
  const isRefused = differs || (hasOthers && (run ?? other) !== undefined);
  return [
    'readable_copy_matches',
    isRefused ? false : hasOthers ? undefined : true,
    'a member differs from the payload',
  ];
}

/** Computes the score again: the facts of a run determine it. */
export function scoreOf(run: NonNullable<Statement['run']>): Check {
  const { latency_ok, outcome_class } = run.score_fact;
  const derived = deriveScoreFact(run);
  const isDerived = derived.outcome_class === outcome_class && derived.latency_ok === latency_ok;
  return [
    'score_recomputes',
    isDerived && canonical(scoreRun(run)) === canonical(run.score),
    'the score is not that of the facts',
  ];
}

interface Logged {
  readonly payload: Bytes;
  readonly key: Key;
  readonly signature: Bytes;
  readonly statement: Statement;
}

/** Checks the position in the log, and the key there. */
export async function logOf(
  claim: Claim | undefined,
  { key, payload, signature, statement }: Logged,
  { ed25519, keys }: Ways,
): Promise<readonly Check[]> {
  if (claim === undefined)
    return [...ofLog.map((name): Check => [name, undefined, 'it has no inclusion proof']), statusOf(key)];
  const { checkpoint, index, leaf, origin, size } = claim;
  const entry = await entryOf(payload, signature, key.publicKey);
  const isOfLog = [origin, statement.head.log.origin].every((one) => one === checkpoint.origin);
  const isLeaf = isSame(leaf, entry) && isOfLog;
  const isIn = size === checkpoint.size && (await isIncluded(claim, entry));
  const logs = keys.flatMap(({ log }) => log ?? []);
  const pinned = logs.filter(({ name }) => name === checkpoint.origin);
  const by = await signersOf(checkpoint, logs, ed25519);
  const isByLog = pinned.length === 0 ? undefined : pinned.some((one) => by.includes(one));
  return [
    [ofLog[0], isLeaf, 'the log entry or the log is of another receipt'],
    [ofLog[1], isIn, 'the proof does not lead to the root of the checkpoint'],
    [ofLog[2], isByLog, 'no pinned key of its log signed the checkpoint'],
    statusOf(key, isLeaf && isIn && isByLog === true ? { origin: checkpoint.origin, index } : undefined),
  ];
}

// A revocation takes effect at a position.
function statusOf(key: Key, position?: LogPosition): Check {
  const name = 'key_status_at_index';
  if (position === undefined)
    return [name, key.isRevoked ? false : undefined, 'the position in the log was not proved'];
  const bound = key.stands.find(({ origin }) => origin === position.origin) ?? key.revokedAt;
  const holds = !key.isRevoked || (bound !== undefined && isBefore(position, bound));
  return [name, holds, 'the key was revoked at or before this position of the log'];
}

/** Opens the commitments of a run with the values that are shown. */
export async function disclosureOf(all: readonly unknown[], { run }: Statement): Promise<readonly Check[]> {
  const given = all.filter((one) => one !== undefined);
  const shown = given.flatMap((one): [string, unknown][] => (isObject(one) ? Object.entries(one) : [['', one]]));
  const opened = await Promise.all(shown.map(([name, value]) => opens(name, value, run)));
  const detail = 'inputs or outputs do not match the commitment in the receipt';
  return given.length === 0 ? [] : [['disclosure_matches_commitment', opened.every(Boolean), detail]];
}

async function opens(name: string, shown: unknown, run: Statement['run']): Promise<boolean> {
  if (run === undefined || (name !== 'inputs' && name !== 'outputs') || !isObject(shown)) return false;
  const [salt, text] = [decodeBase64(shown['salt']), canonical(shown['value'])];
  if (salt === undefined || text === undefined) return false;
  return run.facts[name]?.commitment === (await digestOf(joined(salt, utf8(text))));
}
