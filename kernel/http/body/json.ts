import { isAscii, isUtf8 } from 'node:buffer';
import { PlatformError } from '../../error.ts';
import type { Fault } from '../../tools/schema/fault.ts';

/** How deep arrays and objects may nest. */
export const maxDepth = 64;

/**
 * Parses JSON as JSON.parse does, and refuses JSON that parsers read differently: duplicate keys, `__proto__`, nesting
 * beyond 64, lone surrogates, numbers beyond the range of a double, more than `mostParts` members, objects and arrays.
 * Throws 400 `malformed_json` with the position or the key.
 */
export function parseJson(text: string, mostParts: number = Infinity): unknown {
  const value = parsed(text);
  inspect(text, mostParts);
  return value;
}

/** Parses the bytes of a JSON body; also throws 400 `malformed_json` for an empty body and for invalid UTF-8. */
export function parseJsonBytes(body: Uint8Array, mostParts?: number): unknown {
  return parseJson(textOfJson(body), mostParts);
}

/** Decodes the bytes of a JSON body. Throws 400 `malformed_json` for an empty body and for invalid UTF-8. */
export function textOfJson(body: Uint8Array): string {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length === 0) throw emptyJson();
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw malformedJson('the body is not valid UTF-8; encode it as UTF-8');
  return bytes.toString('utf8');
}

/** Makes the answer to an empty body. */
export function emptyJson(): PlatformError {
  return malformedJson('the body is empty; send a JSON value');
}

function malformedJson(detail: string): PlatformError {
  return new PlatformError('malformed_json', detail);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // V8's own message quotes the body, which may hold a secret, and often lacks the position.
    const { position, expected } = findFault(text);
    const where = position >= text.length ? 'the text ends too early' : `unexpected character at position ${position}`;
    throw malformedJson(`${where}; expected ${expected}`);
  }
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** Scans text that JSON.parse has accepted: the grammar is valid, so only the delimiters are examined. */
function inspect(text: string, mostParts: number): void {
  // Not `text.includes`: V8 treats it as free of side effects and moves it into the loop, a search of all text per key.
  const escapes = /\\/.test(text);
  const objects: Keys[] = [];
  let depth = 0;
  let parts = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      const end = closingQuote(text, i + 1);
      if (escapes) refuseLoneSurrogate(text, i, end);
      if (isKey(text, end + 1)) {
        parts += 1;
        const raw = text.slice(i + 1, end);
        addKey(objects[depth], escapes && raw.includes('\\') ? unescaped(raw) : raw, i);
      }
      i = end;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      parts += 1;
      if (depth > maxDepth) throw malformedJson(`nested deeper than ${maxDepth} levels at position ${i}; flatten it`);
      // Only objects have keys, so a set that an earlier object left at the depth of an array is never read.
      if (code === 0x7b) objects[depth] = new Keys();
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    } else if (code >= 0x30 && code <= 0x39) {
      i = endOfNumber(text, i);
    }
    if (parts > mostParts)
      throw malformedJson(`more than ${mostParts} members, objects and arrays at position ${i}; send fewer`);
  }
}

/** Answers where the string of valid JSON ends whose first character stands at `from`: the place of its closing quote. */
export function closingQuote(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (text.charCodeAt(end - 1) === backslash && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let i = at - 1;
  while (text.charCodeAt(i) === backslash) i -= 1;
  return (at - i) % 2 === 0;
}

function isKey(text: string, from: number): boolean {
  let i = from;
  let code = text.charCodeAt(i);
  while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt((i += 1));
  return code === colon;
}

// The text between two quotes of valid JSON is itself a valid JSON string.
function unescaped(raw: string): string {
  return String(JSON.parse(`"${raw}"`));
}

function refuseLoneSurrogate(text: string, from: number, end: number): void {
  const raw = text.slice(from + 1, end);
  if (raw.includes('\\u') && !unescaped(raw).isWellFormed()) {
    throw malformedJson(`the string at position ${from} contains half of a surrogate pair; send both halves`);
  }
}

function endOfNumber(text: string, from: number): number {
  let end = from + 1;
  let exponent = false;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === 0x65 || code === 0x45) exponent = true;
    else if ((code < 0x30 || code > 0x39) && code !== 0x2e && code !== 0x2b && code !== 0x2d) break;
  }
  if ((exponent || end - from > 300) && !Number.isFinite(Number(text.slice(from, end)))) {
    throw malformedJson(`the number at position ${from} is too large; send it as a string`);
  }
  return end - 1;
}

function addKey(keys: Keys | undefined, key: string, at: number): void {
  if (key === '__proto__') throw malformedJson(`the key "__proto__" at position ${at} is not allowed; rename it`);
  if (keys?.add(key) !== false) return;
  const shown = key.length > 64 ? `${key.slice(0, 64)}…` : key;
  throw malformedJson(`the key ${JSON.stringify(shown)} appears twice (position ${at}); send it once`);
}

/** The keys of one object: a list while they are few, then a set, so that a large body takes linear time. */
class Keys {
  #list: string[] = [];
  #set: Set<string> | undefined;

  /** Adds a key; returns false when it is already there. */
  add(key: string): boolean {
    if (this.#set !== undefined) return this.#set.size < this.#set.add(key).size;
    if (this.#list.includes(key)) return false;
    this.#list.push(key);
    if (this.#list.length > 16) this.#set = new Set(this.#list);
    return true;
  }
}

type Place = 'value' | 'first item' | 'key' | 'first key' | 'colon' | 'end';

const expectations: Readonly<Record<Place, string>> = {
  value: 'a value',
  'first item': 'a value or ]',
  key: 'a key in double quotes',
  'first key': 'a key in double quotes or }',
  colon: 'a colon',
  end: 'a comma or the end of the object, array or text',
};

const space = /[ \t\n\r]*/y;
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;

/**
 * Finds where a text that JSON.parse refused stops being JSON, its length when it ends too early, and the JSON expected
 * there. It runs on failure only, so it is simple rather than fast.
 */
export function findFault(text: string): { readonly position: number; readonly expected: string } {
  const open: string[] = [];
  let place: Place = 'value';
  let at = 0;
  for (;;) {
    at = match(space, text, at);
    const next = step(text, at, place, open);
    if (next === undefined) return { position: at, expected: expectations[place] };
    if (next.fault !== undefined) return { position: next.at, expected: next.fault };
    ({ at, place } = next);
  }
}

interface Next {
  readonly at: number;
  readonly place: Place;
  readonly fault?: string;
}

function step(text: string, at: number, place: Place, open: string[]): Next | undefined {
  const char = text[at];
  if (char === undefined) return undefined;
  if (place === 'colon') return char === ':' ? { at: at + 1, place: 'value' } : undefined;
  if (place === 'end') return afterValue(char, at, open);
  if (char === '}' && place === 'first key') return closed(at, open);
  if (char === ']' && place === 'first item') return closed(at, open);
  if (char === '"') return afterString(text, at, place);
  if (place === 'key' || place === 'first key') return undefined;
  if (char === '{' || char === '[') {
    open.push(char);
    return { at: at + 1, place: char === '{' ? 'first key' : 'first item' };
  }
  const end = match(scalar, text, at);
  return end === at ? undefined : { at: end, place: 'end' };
}

function afterValue(char: string, at: number, open: string[]): Next | undefined {
  const container = open.at(-1);
  if (container === undefined) return undefined;
  if (char === ',') return { at: at + 1, place: container === '{' ? 'key' : 'value' };
  return char === (container === '{' ? '}' : ']') ? closed(at, open) : undefined;
}

function closed(at: number, open: string[]): Next {
  open.pop();
  return { at: at + 1, place: 'end' };
}

function afterString(text: string, at: number, place: Place): Next {
  const end = match(string, text, at);
  const after: Place = place === 'key' || place === 'first key' ? 'colon' : 'end';
  if (text[end] === '"') return { at: end + 1, place: after };
  return { at: end, place: after, fault: 'a closed string without control characters or unknown escapes' };
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** What is wrong with a text that holds U+0000. */
export const nulDetail = 'contains the character U+0000, which is not allowed; remove it';

/** Says where a JSON value holds U+0000, in a text or a name; undefined when it does not. */
export function nulIn(value: unknown, pointer = '#'): Fault | undefined {
  if (typeof value === 'string') return value.includes('\0') ? { pointer, detail: nulDetail } : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    // The name itself cannot be told: its place is the object that has it.
    const fault = name.includes('\0') ? { pointer, detail: nulDetail } : nulIn(member, `${pointer}/${escaped(name)}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

// RFC 6901.
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
