import { setTimeout as rest } from 'node:timers/promises';
import { noteMembers } from '../../tools/schema/large-value.ts';
import { closingQuote } from './json.ts';

/** How the text of a large object or array is parsed: part by part. */
export interface Pieces {
  readonly list: boolean;
  readonly parts: readonly Part[];
  /** Members or items. */
  readonly count: number;
}

/** Where the text of some members or items begins and ends, or that of a single large one with its value. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly value?: Pieces;
}

/** Most values in one part. */
const mostValues = 1000;
/** Milliseconds after which the thread that serves does something else, and how many times as long. */
const [mostMs, restOfPart] = [1, 4] as const;

const [quote, comma, openList, openObject] = [0x22, 0x2c, 0x5b, 0x7b] as const;
// A closing bracket, white space, and the end of the text, where there is no code.
const ends = new Set([comma, 0x5d, 0x7d, 0x20, 0x09, 0x0a, 0x0d, NaN]);

/** Cuts a text that `parseJson` has accepted into pieces; undefined: it is one. */
export function cut(text: string): Pieces | undefined {
  const scan = new Scan(text);
  scan.pass();
  return scan.pieces;
}

class Scan {
  /** Of the value that was passed last, if it is large. */
  pieces: Pieces | undefined;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Passes a value; answers how many values it has, itself included. */
  pass(): number {
    const code = this.#next();
    if (code === openObject || code === openList) return this.#passAll(code === openList);
    this.pieces = undefined;
    if (code === quote) this.#at = closingQuote(this.#text, this.#at + 1) + 1;
    else while (!ends.has(this.#text.charCodeAt(this.#at))) this.#at += 1;
    return 1;
  }

  #passAll(list: boolean): number {
    const parts: Part[] = [];
    let [from, to, open, size, count] = [0, 0, 0, 1, 0];
    const close = (): void => {
      if (open > 0) parts.push({ from, to });
      open = 0;
    };
    for (this.#at += 1; !ends.has(this.#next()); count += 1) {
      const begun = this.#at;
      if (!list) this.#at = this.#text.indexOf(':', closingQuote(this.#text, begun + 1)) + 1;
      const own = this.pass();
      size += own;
      if (open + own > mostValues) close();
      if (open === 0) from = begun;
      [to, open] = [this.#at, open + own];
      if (this.pieces !== undefined) {
        parts.push({ from, to, value: this.pieces });
        open = 0;
      }
      if (this.#next() === comma) this.#at += 1;
    }
    close();
    this.#at += 1;
    this.pieces = size > mostValues ? { list, parts, count } : undefined;
    return size;
  }

  // Passes white space.
  #next(): number {
    while (this.#text.charCodeAt(this.#at) <= 0x20) this.#at += 1;
    return this.#text.charCodeAt(this.#at);
  }
}

/**
 * Parses the pieces of a text, and lets others do something between them. `now` reads a clock, ms. Answers the value, and
 * how long it took without the pauses.
 */
export async function join(text: string, pieces: Pieces | undefined, now: () => number): Promise<[unknown, number]> {
  let begun = now();
  let ms = 0;
  const pause = async (): Promise<void> => {
    const took = now() - begun;
    if (took < mostMs) return;
    ms += took;
    await rest(took * restOfPart);
    begun = now();
  };
  const value = pieces === undefined ? (JSON.parse(text) as unknown) : await joinAll(text, pieces, pause);
  return [value, ms + now() - begun];
}

async function joinAll(text: string, { list, parts, count }: Pieces, pause: () => Promise<void>): Promise<object> {
  const items: unknown[] = [];
  const members: Record<string, unknown> = {};
  for (const { from, to, value } of parts) {
    await pause();
    const large = value && (await joinAll(text, value, pause));
    if (list) items.push(...(large === undefined ? (JSON.parse(`[${text.slice(from, to)}]`) as unknown[]) : [large]));
    // No key is `__proto__`: it was examined.
    else if (large === undefined) Object.assign(members, JSON.parse(`{${text.slice(from, to)}}`));
    else members[JSON.parse(text.slice(from, closingQuote(text, from + 1) + 1)) as string] = large;
  }
  if (!list) noteMembers(members, count);
  return list ? items : members;
}
