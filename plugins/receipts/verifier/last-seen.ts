import { equalBytes } from '../log/pure/tree.ts';
import type { Checkpoint } from '../log/pure/note.ts';
import { verifyConsistency } from '../log/pure/verify-proof.ts';
import type { Growth, LogClaim } from './log-artefact.ts';
import { fail, pass, unchecked, type Check } from './report.ts';

const name = 'consistency_with_last_seen';

/** Known trees of one log besides the tree of an artefact. Their signatures were verified before. */
export interface KnownTrees {
  /** Trees seen before, each proved to begin with the smaller ones. */
  readonly seen: readonly Checkpoint[];
  /** The log's current tree: no known tree may be larger. */
  readonly live?: Checkpoint;
  /** Why the log, which should be asked, did not answer: then the trees seen before are not sufficient. */
  readonly unanswered?: string;
  /** Finds the consistency proof between two sizes; undefined when no log was asked. */
  readonly proof?: (from: bigint, to: bigint) => readonly Uint8Array[] | undefined;
}

/** Answers the known trees of the log whose checkpoint an artefact shows. */
export type LastSeen = (claimed: Checkpoint) => KnownTrees;

/**
 * Compares a checkpoint with the known ones of its log, from the smallest tree to the largest: trees of one size must
 * have one root, and a consistency proof must show that each tree extends the one before. Without a known tree nothing
 * is checked.
 */
export function checkLastSeen(
  claim: LogClaim | undefined,
  lastSeen: LastSeen | undefined,
  growth: readonly Growth[] = [],
): Check[] {
  if (claim === undefined || lastSeen === undefined) return [];
  const known = besides(claim.checkpoint, lastSeen(claim.checkpoint), growth);
  const trees = ordered(claim.checkpoint, known);
  const last = trees.at(-1);
  const silence = known.unanswered === undefined ? [] : [unchecked(name, known.unanswered)];
  if (last === undefined || trees.length === 1) return silence;
  if (known.live !== undefined && known.live.size < last.size)
    return [fail(name, `the log shows ${known.live.size} entries but has signed ${last.size}`)];
  const missteps = trees.slice(1).flatMap((tree, at) => misstep(trees[at] ?? tree, tree, known));
  const failed = missteps.find(({ result }) => result === 'fail');
  if (failed !== undefined) return [failed];
  return silence.length > 0 ? silence : [missteps[0] ?? pass(name)];
}

// Proofs saved next to the artefact lead only to the tree that the artefact shows.
function besides({ size }: Checkpoint, known: KnownTrees, growth: readonly Growth[]): KnownTrees {
  const saved = (from: bigint, to: bigint): readonly Uint8Array[] | undefined =>
    to === size ? growth.find((step) => step.from === from)?.hashes : undefined;
  return { ...known, proof: (from, to) => known.proof?.(from, to) ?? saved(from, to) };
}

/** Lists the smaller trees that the tree of a claim is proved to extend. */
export function provedBefore({ checkpoint }: LogClaim, growth: readonly Growth[]): readonly Checkpoint[] {
  const { origin, root: toRoot, size: to } = checkpoint;
  return growth
    .filter(({ from, hashes, root }) => from < to && verifyConsistency({ from, to, fromRoot: root, toRoot, hashes }))
    .map(({ from, root }) => ({ origin, size: from, root }));
}

/** Sorts the trees of a log by size. The empty tree is left out: every tree extends it, so it proves nothing. */
export function ordered(claimed: Checkpoint, { live, seen }: KnownTrees): readonly Checkpoint[] {
  return [claimed, ...seen, ...(live === undefined ? [] : [live])]
    .filter(({ origin, size }) => origin === claimed.origin && size > 0n)
    .sort((a, b) => (a.size < b.size ? -1 : Number(a.size > b.size)));
}

// Answers why it is not known that a tree extends the one before; none when it is.
function misstep(from: Checkpoint, to: Checkpoint, { proof, seen }: KnownTrees): Check[] {
  if (seen.includes(from) && seen.includes(to)) return [];
  const forked = fail(name, `the log has shown two different trees of size ${to.size}`);
  if (from.size === to.size) return equalBytes(from.root, to.root) ? [] : [forked];
  const [before, now] = [`the ${from.size} entries seen before`, `the log of ${to.size} entries`];
  const hashes = proof?.(from.size, to.size);
  if (hashes === undefined) return [unchecked(name, `there is no proof that ${now} begins with ${before}`)];
  const claim = { from: from.size, to: to.size, fromRoot: from.root, toRoot: to.root, hashes };
  return verifyConsistency(claim) ? [] : [fail(name, `${now} does not begin with ${before}`)];
}
