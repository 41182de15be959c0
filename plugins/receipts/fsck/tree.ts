import { readCheckpoint, type Checkpoint, isSignedBy, type NoteKey } from '../log/pure/note.ts';
import { Frontier } from '../log/pure/frontier.ts';
import {
  type Tile,
  equalBytes,
  fullRoot,
  hashBytes,
  hashLeaf,
  hashesAt,
  tilePath,
  tileWidth,
  widthAt,
  wrongLength,
} from '../log/pure/tree.ts';
import { nativeSha256 } from '../log/stored/tables.ts';
import { verifySignature } from '../format/ed25519.ts';
import type { OnProgress } from '../../../kernel/index.ts';
import type { LogSource } from './source.ts';

/** One fault and its place. `exit`: as in `orb receipts verify`. */
export interface Flaw {
  readonly exit: 1 | 2 | 3 | 4 | 5;
  /** `checkpoint`, `tile/0/000`, `entry 5`, `receipt rec_…` */
  readonly where: string;
  readonly what: string;
}

/** Makes a flaw. */
export function flawAt(where: string, what: string, exit: Flaw['exit'] = 1): Flaw {
  return { exit, where, what };
}

/** The result of checking one log. */
export interface TreeReport {
  readonly checkpoint?: Checkpoint;
  readonly flaws: readonly Flaw[];
}

/** The data to compare a log with. */
export interface Known {
  /** Pinned keys of logs. */
  readonly keys: readonly NoteKey[];
  /** Trees of a log that were seen before. */
  seen(origin: string): readonly Checkpoint[];
  /** Makes the function that receives the progress of checking a log. */
  progress(origin: string): OnProgress;
}

/**
 * Checks a log from its entries up: each entry against its tile, each tile against those above it, the root against
 * the signed checkpoint, and the prefixes against the trees that were seen before.
 */
export async function checkTree(source: LogSource, { keys, progress, seen }: Known): Promise<TreeReport> {
  const text = await source.checkpoint();
  if (text === undefined) return { flaws: [flawAt('checkpoint', 'is missing', 3)] };
  const read = readCheckpoint(text);
  if (read === undefined || read.checkpoint.size > BigInt(Number.MAX_SAFE_INTEGER))
    return { flaws: [flawAt('checkpoint', 'is malformed', 2)] };
  const { checkpoint, note } = read;
  const flaws: Flaw[] = [];
  const named = keys.filter(({ name }) => name === checkpoint.origin);
  if (named.length === 0) flaws.push(flawAt('checkpoint', `no key of ${checkpoint.origin} is pinned`, 3));
  else if (!isSignedBy(note, named, verifySignature))
    flaws.push(flawAt('checkpoint', 'is not signed by the pinned key'));
  const { origin } = checkpoint;
  const past = seen(origin);
  for (const { size } of past.filter((tree) => tree.size > checkpoint.size))
    flaws.push(flawAt('checkpoint', `is shorter than before: it had ${size} entries when it was last seen`, 5));
  const rebuilt = await rebuild({ source, size: Number(checkpoint.size), flaws }, past, progress(origin));
  if (rebuilt !== undefined && !equalBytes(rebuilt.root(), checkpoint.root))
    flaws.push(flawAt('checkpoint', 'its root does not match the entries'));
  return { checkpoint, flaws };
}

// Most faults listed per tile; with more than this in total, rebuilding stops.
const mostFlaws = 100;

interface Checking {
  readonly source: LogSource;
  readonly size: number;
  readonly flaws: Flaw[];
}

async function rebuild(checking: Checking, past: readonly Checkpoint[], progress: OnProgress) {
  const { flaws, size } = checking;
  let frontier = Frontier.empty(nativeSha256);
  // For each level above the leaves, the hashes since its last full tile.
  const levels: Uint8Array[][] = [];
  lookFor(past, frontier, flaws);
  for (let n = 0; n * tileWidth < size; n++) {
    const leaves = await checkBundle(checking, n);
    if (leaves === undefined || flaws.length > mostFlaws) return undefined;
    for (const seen of past) {
      const count = Number(seen.size) - frontier.size;
      if (count > 0 && count <= leaves.length) lookFor([seen], frontier.append(leaves.slice(0, count)), flaws);
    }
    const completed: [number, Uint8Array][] = [];
    frontier = frontier.append(leaves, (height, hash) => {
      if (height > 0 && height % 8 === 0) completed.push([height / 8, hash]);
    });
    for (const [level, hash] of completed) (levels[level] ??= []).push(hash);
    await checkUpper(checking, levels, frontier.size);
    progress(frontier.size, size);
  }
  return frontier;
}

async function checkBundle({ flaws, size, source }: Checking, n: number): Promise<Uint8Array[] | undefined> {
  const width = widthAt(0, n, size);
  const entries = await source.bundle(n, width);
  if (entries?.length !== width) {
    const what = `contains ${entries?.length ?? 0} entries instead of ${width}`;
    flaws.push(flawAt(tilePath({ level: 'entries', n, width }), what));
    return undefined;
  }
  const leaves = entries.map((entry) => hashLeaf(entry, nativeSha256));
  const tile = await source.tile({ level: 0, n, width });
  const path = tilePath({ level: 0, n, width });
  if (tile?.length !== width * hashBytes) {
    flaws.push(flawAt(path, wrongLength(tile, width)));
    return leaves;
  }
  const wrong = leaves.flatMap((leaf, at) => (equalBytes(leaf, hashAt(tile, at)) ? [] : [at]));
  if (wrong.length === 0) return leaves;
  // The tile above shows which of the two was changed.
  const parent = aboveOf(n, size);
  const read = width === tileWidth ? await source.tile(parent) : undefined;
  const above = read?.length === parent.width * hashBytes ? read : undefined;
  const tileHolds = above !== undefined && equalBytes(fullRoot(tile, nativeSha256), hashAt(above, n % tileWidth));
  for (const at of wrong.slice(0, mostFlaws)) {
    const entry = `entry ${n * tileWidth + at}`;
    flaws.push(flawAt(tileHolds || above === undefined ? entry : path, `${entry} does not match its hash in the tile`));
  }
  return leaves;
}

function aboveOf(n: number, size: number): Tile {
  const parent = Math.floor(n / tileWidth);
  return { level: 1, n: parent, width: widthAt(1, parent, size) };
}

function hashAt(tile: Uint8Array, at: number): Uint8Array {
  return tile.subarray(at * hashBytes, (at + 1) * hashBytes);
}

/** Compares the tiles above the leaves: those complete at a size, or the last ones of the tree. */
async function checkUpper({ flaws, size, source }: Checking, levels: Uint8Array[][], reached: number): Promise<void> {
  for (const [level, hashes = []] of levels.entries()) {
    if (hashes.length === 0 || (hashes.length < tileWidth && reached < size)) continue;
    const n = Math.floor((hashesAt(level, reached) - 1) / tileWidth);
    const width = hashes.length;
    const where = tilePath({ level, n, width });
    const tile = await source.tile({ level, n, width });
    if (tile?.length !== width * hashBytes) flaws.push(flawAt(where, wrongLength(tile, width)));
    else
      hashes.forEach((hash, at) => {
        if (!equalBytes(hash, hashAt(tile, at))) flaws.push(flawAt(where, `its hash ${at} is wrong`));
      });
    if (hashes.length === tileWidth) levels[level] = [];
  }
}

// Compares a prefix of this tree with the trees of its size that were seen before.
function lookFor(past: readonly Checkpoint[], tree: Frontier, flaws: Flaw[]): void {
  const what = `its first ${tree.size} entries differ from those that were seen before`;
  for (const { root, size } of past)
    if (size === BigInt(tree.size) && !equalBytes(tree.root(), root)) flaws.push(flawAt('checkpoint', what, 5));
}
