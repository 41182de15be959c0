/** A place of a JSON text where it breaks the rules. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly detail: string;
}

/** A JSON text that was read: its value, with the line of each member and item by JSON Pointer; or its first fault. */
export type JsonText =
  | { readonly value: unknown; readonly lines: ReadonlyMap<string, number>; readonly fault?: undefined }
  | { readonly fault: JsonFault };

// As the server limits it.
const deepest = 64;

const tokens = {
  space: /[ \t\r\n]*/y,
  text: /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y,
  number: /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y,
  word: /true|false|null/y,
};

/** Reads a JSON text, and where each part of it is. It refuses a member that is given twice, as the server does. */
export function readJson(text: string): JsonText {
  const reader = new Reader(text);
  try {
    return { value: reader.whole(), lines: reader.lines };
  } catch (error) {
    if (!(error instanceof Misplaced)) throw error;
    const before = text.slice(0, error.at).split('\n');
    return { fault: { line: before.length, column: (before.at(-1) ?? '').length + 1, detail: error.message } };
  }
}

/** Finds the line of a JSON Pointer, or of the nearest part around it that the text has. */
export function lineOf(lines: ReadonlyMap<string, number>, pointer: string): number {
  for (let at = pointer.replace(/^#/, ''); at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const line = lines.get(at);
    if (line !== undefined) return line;
    if (!at.includes('/')) break;
  }
  return lines.get('') ?? 1;
}

class Misplaced extends Error {
  readonly at: number;
  constructor(at: number, detail: string) {
    super(detail);
    this.at = at;
  }
}

class Reader {
  readonly lines = new Map<string, number>();
  readonly #text: string;
  #at = 0;
  #line = 1;
  #counted = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): unknown {
    const value = this.#value('', 0);
    this.#take(tokens.space);
    if (this.#at < this.#text.length) throw new Misplaced(this.#at, 'the text must end here');
    return value;
  }

  #value(pointer: string, depth: number): unknown {
    this.#take(tokens.space);
    if (!this.lines.has(pointer)) this.lines.set(pointer, this.#lineNow());
    if (depth > deepest) throw new Misplaced(this.#at, `it is nested deeper than ${deepest}`);
    if (this.#skip('{')) return this.#members(pointer, depth);
    if (this.#skip('[')) return this.#items(pointer, depth);
    const token = this.#take(tokens.text) || this.#take(tokens.number) || this.#take(tokens.word);
    if (token === '') throw new Misplaced(this.#at, 'a value is missing here');
    return JSON.parse(token) as unknown;
  }

  #members(pointer: string, depth: number): object {
    const members: [string, unknown][] = [];
    const names = new Set<string>();
    for (let first = true; !this.#ends('}', first); first = false) {
      this.#take(tokens.space);
      const at = this.#at;
      const token = this.#take(tokens.text);
      if (token === '') throw new Misplaced(at, 'a name in double quotes is missing here');
      const name = JSON.parse(token) as string;
      if (names.has(name)) throw new Misplaced(at, `${token} is given twice`);
      names.add(name);
      const inner = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      this.lines.set(inner, this.#lineNow());
      this.#take(tokens.space);
      if (!this.#skip(':')) throw new Misplaced(this.#at, '":" is missing here');
      members.push([name, this.#value(inner, depth + 1)]);
    }
    return Object.fromEntries(members);
  }

  #items(pointer: string, depth: number): readonly unknown[] {
    const items: unknown[] = [];
    while (!this.#ends(']', items.length === 0)) items.push(this.#value(`${pointer}/${items.length}`, depth + 1));
    return items;
  }

  // Whether a list ends here; else what comes next is a further part of it.
  #ends(close: string, first: boolean): boolean {
    this.#take(tokens.space);
    if (this.#skip(close)) return true;
    if (!first && !this.#skip(',')) throw new Misplaced(this.#at, `"," or "${close}" is missing here`);
    return false;
  }

  #skip(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #take(token: RegExp): string {
    token.lastIndex = this.#at;
    const found = token.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #lineNow(): number {
    for (; this.#counted < this.#at; this.#counted += 1) if (this.#text[this.#counted] === '\n') this.#line += 1;
    return this.#line;
  }
}
