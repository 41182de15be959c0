import { decodeBase64 } from '../format/base64.ts';
import { verifySignature } from '../format/ed25519.ts';
import { atUrl, type ReadLogFile } from '../fsck/remote-source.ts';
import { readCheckpoint, type Checkpoint, isSignedBy } from '../log/pure/note.ts';
import { ordered, type KnownTrees } from '../verifier/last-seen.ts';
import { shardOf } from '../verifier/position.ts';
import { parseStrict, isRecord } from '../format/strict-json.ts';
import type { Trust } from '../verifier/trust.ts';

/**
 * Asks a log (`https://orb.example/log`) for its current checkpoint, and for proofs that its known trees extend each
 * other. No answer is trusted: the checkpoint must be signed by the pinned key, and the caller verifies the proofs.
 * Throws when the log cannot be reached, or its checkpoint is not signed by the pinned key.
 */
export async function askLog(
  url: string,
  claimed: Checkpoint,
  seen: KnownTrees['seen'],
  trust: Trust,
): Promise<KnownTrees> {
  // Every shard has its own address.
  const read = atUrl(`${url.replace(/\/$/, '')}/${encodeURIComponent(shardOf(claimed.origin))}`);
  const live = await shownCheckpoint(read, claimed.origin, trust);
  const trees = ordered(claimed, { seen, live });
  const proofs = new Map<string, readonly Uint8Array[]>();
  for (const [at, to] of trees.entries()) {
    const from = trees[at - 1];
    if (from === undefined || from.size === to.size || to.size > live.size) continue;
    if (seen.includes(from) && seen.includes(to)) continue;
    const hashes = await readProof(read, from.size, to.size);
    if (hashes !== undefined) proofs.set(`${from.size}-${to.size}`, hashes);
  }
  return { seen, live, proof: (from, to) => proofs.get(`${from}-${to}`) };
}

async function shownCheckpoint(read: ReadLogFile, origin: string, { policy }: Trust): Promise<Checkpoint> {
  const shown = readCheckpoint(new TextDecoder().decode(await read('checkpoint')));
  if (shown?.checkpoint.origin !== origin) throw new Error(`the server shows no checkpoint of ${origin}`);
  const keys = (policy?.logs ?? []).filter(({ name }) => name === origin);
  if (!isSignedBy(shown.note, keys, verifySignature))
    throw new Error('the pinned key of the log did not sign the checkpoint of the server');
  return shown.checkpoint;
}

async function readProof(read: ReadLogFile, from: bigint, to: bigint): Promise<readonly Uint8Array[] | undefined> {
  const bytes = await read(`proof/consistency?from=${from}&to=${to}`);
  const answer = bytes === undefined ? undefined : parseStrict(new TextDecoder().decode(bytes));
  if (!isRecord(answer) || !Array.isArray(answer['hashes'])) return undefined;
  const hashes = answer['hashes'].flatMap((text) => (typeof text === 'string' ? (decodeBase64(text) ?? []) : []));
  return hashes.length === answer['hashes'].length ? hashes : undefined;
}
