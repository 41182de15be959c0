import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandCall } from '../../../kernel/index.ts';
import { decodeBase64, encodeBase64 } from '../format/base64.ts';
import { parseUint64, type Checkpoint } from '../log/pure/checkpoint.ts';
import { equalBytes } from '../log/pure/hashing.ts';
import { parseStrict } from '../verifier/strict-json.ts';
import { isRecord } from '../verifier/trust.ts';

/** Name of the file in the state dir that remembers the newest verified checkpoint of every log. */
const seenFile = 'seen-checkpoints.json';

// Of the smaller trees of a log; what is forgotten has to be proved again.
const mostEarlier = 256;
const mostFetched = 16;

/** What is remembered of one log. */
export interface SeenLog {
  /** Verified trees from the smallest to the newest, each proved to begin with the one before. */
  readonly trees: readonly Checkpoint[];
  /** Trees that fetched receipts show and nobody has verified; they say only what to ask a proof from. */
  readonly fetched: readonly Checkpoint[];
}

/** What is remembered, by the name of the log. */
export type Seen = ReadonlyMap<string, SeenLog>;

const nothing: SeenLog = { trees: [], fetched: [] };

/** Reads what was verified before; nothing when there is no file, or no readable one. */
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
 * Remembers verified trees of one log. `since`: the newest one that was remembered and that these were proved to be
 * consistent with; when another one is remembered by now, nothing is.
 */
export function keepSeen(call: Called, trees: readonly Checkpoint[], since: Checkpoint | undefined): Promise<void> {
  return change(call, trees[0]?.origin ?? '', (known) => {
    if (!isSame(known.trees.at(-1), since)) return known;
    const all = distinct([...known.trees, ...trees]);
    return { trees: all.slice(-mostEarlier - 1), fetched: known.fetched.filter((tree) => !holds(all, tree)) };
  });
}

/** Notes the tree that a fetched receipt shows, so that the next one is fetched with a proof from it. */
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

// Of one size the first stays.
function distinct(trees: readonly Checkpoint[]): Checkpoint[] {
  const bySize = new Map<bigint, Checkpoint>();
  for (const tree of trees) if (!bySize.has(tree.size)) bySize.set(tree.size, tree);
  return [...bySize.values()].sort((a, b) => (a.size < b.size ? -1 : 1));
}

// Where nothing can be written it says so: the next check cannot tell a log that was rolled back.
async function change({ note, stateDir }: Called, origin: string, to: (known: SeenLog) => SeenLog): Promise<void> {
  const seen = new Map(await readSeen(stateDir));
  const known = seen.get(origin) ?? nothing;
  const changed = to(known);
  if (changed === known) return;
  seen.set(origin, changed);
  const path = join(stateDir, seenFile);
  const content = `${JSON.stringify(Object.fromEntries([...seen].map(([name, log]) => [name, written(log)])), undefined, 2)}\n`;
  // A name of its own: of two commands at once neither may rename what the other has half written.
  const fresh = `${path}.${randomUUID()}.new`;
  await writeFile(fresh, content)
    .then(() => rename(fresh, path))
    .catch(async (error: NodeJS.ErrnoException) => {
      await rm(fresh, { force: true }).catch(() => undefined);
      note(`the checkpoint is not remembered (${error.code}: ${stateDir}); name a folder by ORB_STATE_DIR`);
    });
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
