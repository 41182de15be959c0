import type { PolicyFile } from '../shapes.ts';

/** Change of one file between two revisions; `diff`: lines with the prefix ` `, `-` or `+`. */
export interface FileDiff {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly diff: string;
}

/** Compares two sets of files; leaves out equal files. */
export function diffFiles(from: readonly PolicyFile[], to: readonly PolicyFile[]): readonly FileDiff[] {
  const [before, after] = [byPath(from), byPath(to)];
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path): FileDiff[] => {
    const [old, now] = [before.get(path), after.get(path)];
    if (old === now) return [];
    const change = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    return [{ path, change, diff: diffLines(linesOf(old), linesOf(now)).join('\n') }];
  });
}

function byPath(files: readonly PolicyFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, source }) => [path, source]));
}

function linesOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.replace(/\n$/, '').split('\n');
}

const mostCells = 4_000_000;
const context = 3;

// Longest common subsequence, computed without the common prefix and suffix.
function diffLines(from: readonly string[], to: readonly string[]): readonly string[] {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < Math.min(from.length, to.length) - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  const [old, now] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  const before = from.slice(Math.max(0, start - context), start).map((line) => ` ${line}`);
  const after = from.slice(from.length - end, from.length - end + context).map((line) => ` ${line}`);
  return [...before, ...middle(old, now), ...after];
}

function middle(old: readonly string[], now: readonly string[]): readonly string[] {
  const all = [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
  const width = now.length + 1;
  if (old.length * width > mostCells) return all;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const out: string[] = [];
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      out.push(` ${old[i]}`);
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) out.push(`-${old[i++]}`);
    else out.push(`+${now[j++]}`);
  }
  return out;
}
