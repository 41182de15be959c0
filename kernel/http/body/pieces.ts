import { setImmediate as turn } from 'node:timers/promises';
import { noteMembers } from '../../tools/schema/large-value.ts';

/**
 * A JSON value in parts that are parsed one by one: the text of a value, or a large object or array, whose parts are
 * texts of objects or arrays that are joined, and large values with their keys.
 */
export type Piece = string | Pieces;

/** A large object or array. */
interface Pieces {
  readonly list: boolean;
  readonly parts: readonly (string | { readonly key: string; readonly value: Pieces })[];
  /** Members or items. */
  readonly count: number;
}

/** Most members, objects and arrays in one text. */
const mostParts = 1000;
/** Milliseconds after which the thread that serves does something else. */
const mostMs = 1;

/** Cuts a parsed JSON value into pieces; undefined: it is one. */
export function cut(value: unknown): Piece | undefined {
  const sizes = new Map<object, number>();
  return sizeOf(value, sizes) > mostParts && isObject(value) ? cutObject(value, sizes) : undefined;
}

function cutObject(value: object, sizes: ReadonlyMap<object, number>): Pieces {
  const list = Array.isArray(value);
  const parts: Pieces['parts'][number][] = [];
  let open: [string, unknown][] = [];
  let size = 0;
  const close = (): void => {
    if (open.length > 0) parts.push(JSON.stringify(list ? open.map(([, member]) => member) : Object.fromEntries(open)));
    open = [];
    size = 0;
  };
  const members = Object.entries(value) as [string, unknown][];
  for (const [key, member] of members) {
    const own = 1 + (isObject(member) ? (sizes.get(member) ?? 0) : 0);
    if (size + own > mostParts) close();
    if (own > mostParts && isObject(member)) parts.push({ key, value: cutObject(member, sizes) });
    else open.push([key, member]);
    size += own > mostParts ? 0 : own;
  }
  close();
  return { list, parts, count: members.length };
}

// Parsed JSON nests 64 deep at most. JSON.stringify writes -0 as 0: a value that holds one stays whole.
function sizeOf(value: unknown, sizes: Map<object, number>): number {
  if (!isObject(value)) return Object.is(value, -0) ? -Infinity : 1;
  let size = 1;
  for (const member of Object.values(value) as unknown[]) size += sizeOf(member, sizes);
  sizes.set(value, size);
  return size;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * Parses the pieces, and lets others do something between them. `now` reads a clock, ms. Answers the value, and how long
 * it took without the pauses.
 */
export async function join(piece: Piece, now: () => number): Promise<{ readonly value: unknown; readonly ms: number }> {
  let begun = now();
  let ms = 0;
  const pause = async (): Promise<void> => {
    const took = now() - begun;
    if (took < mostMs) return;
    ms += took;
    await turn();
    begun = now();
  };
  const value = typeof piece === 'string' ? (JSON.parse(piece) as unknown) : await joinObject(piece, pause);
  return { value, ms: ms + now() - begun };
}

async function joinObject({ list, parts, count }: Pieces, pause: () => Promise<void>): Promise<object> {
  const items: unknown[] = [];
  const members: Record<string, unknown> = {};
  for (const part of parts) {
    await pause();
    if (typeof part !== 'string') {
      const value = await joinObject(part.value, pause);
      if (list) items.push(value);
      else members[part.key] = value;
    } else if (list) items.push(...(JSON.parse(part) as unknown[]));
    // No key is `__proto__`: it was examined.
    else Object.assign(members, JSON.parse(part));
  }
  if (!list) noteMembers(members, count);
  return list ? items : members;
}
