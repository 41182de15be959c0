import { encodeBase64 } from '../../../../receipts/format/base64.ts';
import { encodeSpki, entryText } from '../../../../receipts/log/pure/entry.ts';
import type { Note } from '../../../../receipts/log/pure/note.ts';
import { equalBytes } from '../../../../receipts/log/pure/tree.ts';
import { climb } from '../../../../receipts/log/pure/verify-proof.ts';
import { agrees, type LogClaim } from '../../../../receipts/verifier/log-artefact.ts';
import { isBefore, type LogPosition } from '../../../../receipts/verifier/position.ts';
import { sha256, utf8 } from './bytes.ts';
import type { Check } from './checks.ts';
import type { Key, Ways } from './keys.ts';
import type { Statement } from './statement.ts';

interface Logged {
  readonly claim: LogClaim | undefined;
  readonly payload: Uint8Array;
  readonly key: Key;
  readonly signature: Uint8Array;
  readonly statement: Statement;
}

const names = ['leaf_matches_envelope', 'inclusion', 'checkpoint_signature'] as const;

/** Checks the position in the log, and the key there. */
export async function logOf(logged: Logged, ways: Ways): Promise<readonly Check[]> {
  const { claim, key, payload, signature, statement } = logged;
  if (claim === undefined)
    return [...names.map((name): Check => [name, undefined, 'it has no inclusion proof']), statusOf(key)];
  const { checkpoint, index, leaf, note, origin } = claim;
  const digest = encodeBase64(await sha256(payload));
  const entry = utf8(entryText(digest, encodeBase64(signature), encodeSpki(key.publicKey)));
  const isOfLog = [origin, statement.predicate.log.origin].every((one) => one === checkpoint.origin);
  const isLeaf = isOfLog && equalBytes(leaf ?? entry, entry);
  const isIn = agrees(claim) && (await isIncluded(claim, entry));
  const isPinned = ways.keys.some(({ log }) => log === checkpoint.origin);
  const isByLog = isPinned ? (await signersOf(note, ways)).includes(checkpoint.origin) : undefined;
  return [
    [names[0], isLeaf, 'the log entry or the log is of another receipt'],
    [names[1], isIn, 'the proof does not lead to the root of the checkpoint'],
    [names[2], isByLog, 'no pinned key of its log signed the checkpoint'],
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

// RFC 9162 §2.1.3.2. The way up is known before its hashes are.
async function isIncluded({ checkpoint, hashes, index }: LogClaim, entry: Uint8Array): Promise<boolean> {
  const { root, size } = checkpoint;
  const steps: [sibling: Uint8Array, isLeft: boolean][] = [];
  const isWhole = index < size && climb(index, size - 1n, hashes, (...step) => void steps.push(step));
  let hash = await sha256(Uint8Array.of(0), entry);
  for (const [sibling, isLeft] of steps)
    hash = await sha256(Uint8Array.of(1), ...(isLeft ? [sibling, hash] : [hash, sibling]));
  return isWhole && equalBytes(hash, root);
}

// Lists the logs whose keys signed; none if a line of a known key does not verify: it is a forgery.
async function signersOf({ signatures, text }: Note, { ed25519, keys }: Ways): Promise<readonly string[]> {
  const found: Key[] = [];
  for (const { keyId, name, signature } of signatures) {
    const key = keys.find(({ log, noteId }) => log === name && equalBytes(noteId, keyId));
    if (key === undefined || found.includes(key)) continue;
    if (!(await ed25519(key.publicKey, utf8(text), signature))) return [];
    found.push(key);
  }
  return found.flatMap(({ log }) => log ?? []);
}
