import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, type CommandCall } from '../../../../kernel/index.ts';
import { decodeBase64, encodeBase64 } from '../../format/base64.ts';
import { parseUint64, type Checkpoint } from '../../log/pure/note.ts';
import { equalBytes } from '../../log/pure/tree.ts';
import { parseStrict, isRecord } from '../../format/strict-json.ts';
import { withLock } from './lock.ts';

/** Name of the file in the state dir that remembers the verified checkpoints of every log. */
export const seenFile = 'seen-checkpoints.json';

// Most smaller trees kept per log; a dropped tree has to be proved again.
const mostEarlier = 256;
const mostFetched = 16;

/** The remembered trees of one log. */
export interface SeenLog {
  /** Verified trees from the smallest to the newest, each proved to begin with the one before. */
  readonly trees: readonly Checkpoint[];
  /** Trees of fetched receipts that are not verified; they only select the sizes to request proofs from. */
  readonly fetched: readonly Checkpoint[];
}

/** The remembered logs, by name. */
export type Seen = ReadonlyMap<string, SeenLog>;

const nothing: SeenLog = { trees: [], fetched: [] };

/** Reads the remembered logs; empty when the file is missing or unreadable. */
export async function readSeen(stateDir: string): Promise<Seen> {
  const content = await readFile(join(stateDir, seenFile), 'utf8').catch(() => '');
  const parsed = parseStrict(content);
  const entries = isRecord(parsed) ? Object.entries(parsed) : [];
  return new Map(entries.map(([origin, value]) => [origin, isRecord(value) ? seenLog(origin, value) : nothing]));
}

/** Finds the newest verified checkpoint of a log. */
export function newestSeen(seen: Seen, origin: string): Checkpoint | undefined {
  return seen.get(origin)?.trees.at(-1);
}

function seenLog(origin: string, { earlier, fetched, root, size }: Readonly<Record<string, unknown>>): SeenLog {
  const [newest] = typeof size === 'string' ? treesOf(origin, { [size]: root }) : [];
  const smaller = newest === undefined ? [] : treesOf(origin, earlier).filter((tree) => tree.size < newest.size);
  return {
    trees: newest === undefined ? [] : distinct([...smaller, newest]),
    fetched: distinct(treesOf(origin, fetched)),
  };
}

function treesOf(origin: string, roots: unknown): Checkpoint[] {
  return Object.entries(isRecord(roots) ? roots : {}).flatMap(([text, encoded]) => {
    const size = parseUint64(text);
    const root = typeof encoded === 'string' ? decodeBase64(encoded) : undefined;
    return size === undefined || root?.length !== 32 ? [] : [{ origin, size, root }];
  });
}

type Called = Pick<CommandCall, 'note' | 'stateDir'>;

/**
 * Remembers verified trees of one log. `since`: the newest remembered tree with which these were proved consistent;
 * when another tree is remembered by now, nothing is stored and the caller is notified.
 */
export async function keepSeen(call: Called, trees: readonly Checkpoint[], since?: Checkpoint): Promise<void> {
  let overtaken = false;
  await change(call, trees[0]?.origin ?? '', (known) => {
    overtaken = !isSame(known.trees.at(-1), since) && trees.some((tree) => !holds(known.trees, tree));
    if (!isSame(known.trees.at(-1), since)) return known;
    const all = distinct([...known.trees, ...trees]);
    return { trees: all.slice(-mostEarlier - 1), fetched: known.fetched.filter((tree) => !holds(all, tree)) };
  });
  if (overtaken)
    call.note(
      'the checkpoint was not saved, because another command saved one at the same time; run the command again',
    );
}

/** Notes the tree of a fetched receipt, so that the next receipt is fetched with a proof from it. */
export function keepFetched(stateDir: string, tree: Checkpoint): Promise<void> {
  return change({ stateDir, note: () => undefined }, tree.origin, (known) =>
    holds([...known.trees, ...known.fetched], tree)
      ? known
      : { ...known, fetched: distinct([...known.fetched, tree]).slice(-mostFetched) },
  );
}

function isSame(one: Checkpoint | undefined, other: Checkpoint | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.size === other.size && equalBytes(one.root, other.root);
}

function holds(trees: readonly Checkpoint[], tree: Checkpoint): boolean {
  return trees.some((one) => isSame(one, tree));
}

// Of trees with equal size the first stays.
function distinct(trees: readonly Checkpoint[]): Checkpoint[] {
  const bySize = new Map<bigint, Checkpoint>();
  for (const tree of trees) if (!bySize.has(tree.size)) bySize.set(tree.size, tree);
  return [...bySize.values()].sort((a, b) => (a.size < b.size ? -1 : 1));
}

type Change = (known: SeenLog) => SeenLog;

// When the file cannot be written, print that: the next check cannot detect a log that was rolled back.
async function change({ note, stateDir }: Called, origin: string, to: Change): Promise<void> {
  if ((await changed(stateDir, origin, to)) === undefined) return;
  const path = join(stateDir, seenFile);
  // Read again under the lock: of two concurrent commands neither may overwrite the other's change.
  const kept = withLock(`${path}.lock`, async () => {
    const content = await changed(stateDir, origin, to);
    if (content !== undefined) await replaceFile(path, content);
  });
  await kept.catch(({ code, message }: NodeJS.ErrnoException) => {
    note(`the checkpoint was not saved (${code ?? message}: ${stateDir}); set ORB_STATE_DIR to a folder`);
  });
}

/** Makes the new content of the file after a change to one log; undefined: the file stays unchanged. */
async function changed(stateDir: string, origin: string, to: Change): Promise<string | undefined> {
  const seen = await readSeen(stateDir);
  const known = seen.get(origin) ?? nothing;
  const next = to(known);
  if (next === known) return undefined;
  const logs = [...seen, [origin, next] as const].map(([name, log]) => [name, written(log)]);
  return `${JSON.stringify(Object.fromEntries(logs), undefined, 2)}\n`;
}

function written({ fetched, trees }: SeenLog): object {
  const newest = trees.at(-1);
  const roots = (list: readonly Checkpoint[]): object =>
    Object.fromEntries(list.map(({ root, size }) => [`${size}`, encodeBase64(root)]));
  return {
    ...(newest === undefined ? {} : { size: `${newest.size}`, root: encodeBase64(newest.root) }),
    ...(trees.length < 2 ? {} : { earlier: roots(trees.slice(0, -1)) }),
    ...(fetched.length === 0 ? {} : { fetched: roots(fetched) }),
  };
}
