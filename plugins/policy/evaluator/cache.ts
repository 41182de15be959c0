import { canonical } from '../../../kernel/index.ts';
import type { ReadPaths } from '../contract.ts';
import type { Verdict } from './result.ts';

/** A bounded LRU cache of verdicts. Its key holds the values that policies read: equal values give equal verdicts. */
export type DecisionCache = ReturnType<typeof createCache>;

const mostEntries = 10_000;
const longestKey = 4096;

/** Creates the cache of one revision from the read paths of its entrypoints. */
export function createCache(paths: Readonly<Record<string, ReadPaths>>) {
  const readers = new Map(Object.entries(paths).map(([entrypoint, read]) => [entrypoint, readerOf(entrypoint, read)]));
  const entries = new Map<string, Verdict>();
  return {
    /** The key of a question, or undefined when it cannot be cached. */
    keyOf: (entrypoint: string, envelope: object) => readers.get(entrypoint)?.(envelope),
    get(key: string) {
      const found = entries.get(key);
      if (found === undefined) return undefined;
      // The entry moves to the end only when the cache is half full: before that, a hit costs one look-up.
      if (entries.size > mostEntries / 2) {
        entries.delete(key);
        entries.set(key, found);
      }
      return found;
    },
    set(key: string, verdict: Verdict) {
      entries.set(key, verdict);
      if (entries.size <= mostEntries) return;
      const oldest = entries.keys().next();
      if (oldest.done !== true) entries.delete(oldest.value);
    },
    get size() {
      return entries.size;
    },
  };
}

type Reader = (envelope: object) => string | undefined;

function readerOf(entrypoint: string, { all, paths }: ReadPaths): Reader {
  if (all) return () => undefined;
  const wholeInputs = paths.some(([first, second = 'inputs', ...rest]) => {
    return first === 'context' && (second === 'inputs' || second === 'parsed') && rest.length === 0;
  });
  const members = [...new Set(paths.map(([first]) => first))];
  const parts = members.map((first) =>
    partOf(
      first,
      paths.filter((path) => path[0] === first),
    ),
  );
  return (envelope) => {
    // Skips inputs that make the key too long without serialising them: a character has at most four bytes.
    if (wholeInputs && Number(textAt(envelope, ['context', 'inputs_bytes'])) > 4 * longestKey) return undefined;
    let key = entrypoint;
    for (const part of parts) {
      key += part(envelope as Members);
      if (key.length > longestKey) return undefined;
    }
    return key;
  };
}

type Members = Readonly<Record<string, unknown>>;
type Path = ReadPaths['paths'][number];

// Reads the paths below one member of the envelope. A frozen member, shared by many questions, is read once.
function partOf(member: Path[number] | undefined, paths: readonly Path[]): (envelope: Members) => string {
  const texts = new WeakMap<object, string>();
  return (envelope) => {
    const part = envelope[member ?? ''];
    if (typeof part !== 'object' || part === null) return textAtAll(envelope, paths);
    const known = texts.get(part);
    if (known !== undefined) return known;
    const text = textAtAll(envelope, paths);
    if (Object.isFrozen(part)) texts.set(part, text);
    return text;
  };
}

function textAtAll(envelope: Members, paths: readonly Path[]): string {
  let text = '';
  for (const path of paths) if (text.length <= longestKey) text += `\n${textAt(envelope, path)}`;
  return text;
}

// An absent value gives the empty string, which is no JSON text.
function textAt(envelope: object, path: Path): string {
  let value: unknown = envelope;
  for (const [index, part] of path.entries()) {
    if (part === null) return everyAt(value, path.slice(index + 1));
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, part)) return '';
    value = (value as Members)[part];
  }
  return textOf(value);
}

function everyAt(list: unknown, rest: readonly (string | null)[]): string {
  if (!Array.isArray(list)) return textOf(list);
  let text = '[';
  for (const one of list) text += `${textAt(one as object, rest)},`;
  return `${text}]`;
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return JSON.stringify(value);
  return canonical(value);
}
