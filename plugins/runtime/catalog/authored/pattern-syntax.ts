/** The parsed form of a JSON Schema pattern (ECMA-262, unicode mode), for an engine and for an estimate of its cost. */
export interface PatternSyntax {
  /** The same pattern in the syntax of RE2; it finds whether a text matches, and captures nothing. */
  readonly re2: string;
  /** How many states an automaton of the pattern has; a repeated item counts once per repetition. */
  readonly states: number;
  /**
   * Most steps that a backtracking engine takes for one character of the text; undefined where no such number is known:
   * then the steps may grow faster than the text.
   */
  readonly steps: number | undefined;
  /** The cost of compiling, as a number of single characters. */
  readonly size: number;
}

interface Part {
  readonly re2: string;
  readonly states: number;
}

/** One character of a text, or none, with a quantifier: `min` to `max` times. */
interface Item {
  readonly min: number;
  readonly max: number;
}

/** The position of the parser. The characters are code points: an astral one is one character. */
interface Cursor {
  readonly chars: readonly string[];
  at: number;
  /** The items of a pattern without groups and alternatives, for `steps`. */
  readonly items: Item[];
  flat: boolean;
  /** The cost of compiling its groups and Unicode properties beside its states; a property is hundreds of ranges. */
  extra: number;
}

/**
 * Parses a pattern. Throws when it is wrong, when it needs an engine that backtracks (lookaround, backreferences), and
 * when it uses modifiers or properties whose meaning differs between engines.
 */
export function parsePattern(source: string): PatternSyntax {
  // V8 checks the grammar: a pattern that it accepts in unicode mode needs only a translation here.
  void new RegExp(source, 'u');
  const cursor: Cursor = { chars: [...source], at: 0, items: [], flat: true, extra: 0 };
  const { re2, states } = alternatives(cursor);
  const steps = cursor.flat ? stepsOf(cursor.items, source.startsWith('^')) : undefined;
  const size = (steps === undefined ? states : cursor.items.length) + cursor.extra;
  return { re2, states, steps, size };
}

const sizeOfProperty = 10;

/**
 * Without groups and alternatives each item has `max - min + 1` choices, and these multiply. One unbounded item, or a
 * match that may start anywhere, repeats all these choices for each character of the text; two of them would make the
 * steps grow with the square of the text.
 */
function stepsOf(items: readonly Item[], anchored: boolean): number | undefined {
  const unbounded = items.filter(({ max }) => max === Infinity).length + (anchored ? 0 : 1);
  if (unbounded > 1) return undefined;
  const bounded = items.filter(({ max }) => max < Infinity);
  const ways = bounded.reduce((product, { min, max }) => product * (max - min + 1), 1);
  const length = items.reduce((sum, { min, max }) => sum + (max < Infinity ? max : min), 1);
  const steps = ways * (unbounded === 0 ? 1 : length);
  return steps <= 1024 ? steps : undefined;
}

function alternatives(cursor: Cursor): Part {
  const parts = [sequence(cursor)];
  while (cursor.chars[cursor.at] === '|') {
    cursor.at++;
    cursor.flat = false;
    parts.push(sequence(cursor));
  }
  return { re2: parts.map(({ re2 }) => re2).join('|'), states: sumOf(parts) + parts.length - 1 };
}

function sequence(cursor: Cursor): Part {
  const parts: Part[] = [];
  for (let next = cursor.chars[cursor.at]; next !== undefined && next !== '|' && next !== ')';) {
    parts.push(term(cursor));
    next = cursor.chars[cursor.at];
  }
  return { re2: parts.map(({ re2 }) => re2).join(''), states: sumOf(parts) };
}

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { states }) => sum + states, 0);
}

function term(cursor: Cursor): Part {
  const char = take(cursor);
  if (char === '^') return { re2: '\\A', states: 1 };
  if (char === '$') return { re2: '\\z', states: 1 };
  if (char === '\\' && /[bB]/.test(cursor.chars[cursor.at] ?? '')) return { re2: `\\${take(cursor)}`, states: 1 };
  return quantified(atom(char, cursor), cursor);
}

function atom(char: string, cursor: Cursor): string | Part {
  // ECMA-262 has more line terminators than RE2.
  if (char === '.') return '[^\\n\\r\\x{2028}\\x{2029}]';
  if (char === '(') return group(cursor);
  if (char === '[') return charClass(cursor);
  return char === '\\' ? escaped(cursor, (set) => `[${set}]`) : literal(char);
}

function group(cursor: Cursor): Part {
  cursor.flat = false;
  cursor.extra++;
  if (cursor.chars[cursor.at] === '?') skipGroupHead(cursor);
  const { re2, states } = alternatives(cursor);
  cursor.at++;
  return { re2: `(?:${re2})`, states };
}

function skipGroupHead(cursor: Cursor): void {
  const [, first = '', second = ''] = cursor.chars.slice(cursor.at, cursor.at + 3);
  if (first === ':') cursor.at += 2;
  else if (first === '<' && second !== '=' && second !== '!') cursor.at = cursor.chars.indexOf('>', cursor.at) + 1;
  else if ('=!<'.includes(first))
    throw new Error(
      'lookahead and lookbehind are not allowed; write each condition as a separate pattern in allOf or not',
    );
  else throw new Error('modifiers such as (?i:…) are not allowed; write both cases: [Aa]');
}

function quantified(single: string | Part, cursor: Cursor): Part {
  const { re2, states } = typeof single === 'string' ? { re2: single, states: 1 } : single;
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(cursor.chars.slice(cursor.at, cursor.at + 40).join(''));
  const quantifier = found?.[0] ?? '';
  cursor.at += quantifier.length;
  // Whether a quantifier is greedy or lazy decides only what is captured, not whether the pattern matches.
  if (quantifier !== '' && cursor.chars[cursor.at] === '?') cursor.at++;
  const { min, max } = rangeOf(quantifier, found);
  cursor.items.push({ min, max });
  const times = max < Infinity ? max : Math.max(min, 1);
  return { re2: re2 + quantifier, states: states * times + (quantifier === '' ? 0 : 1) };
}

const ranges = new Map<string, Item>([
  ['', { min: 1, max: 1 }],
  ['*', { min: 0, max: Infinity }],
  ['+', { min: 1, max: Infinity }],
  ['?', { min: 0, max: 1 }],
]);

function rangeOf(quantifier: string, found: RegExpExecArray | null): Item {
  const known = ranges.get(quantifier);
  if (known !== undefined) return known;
  const [, min = '', comma = '', max = ''] = found ?? [];
  const highest = comma === '' ? min : max;
  return { min: Number(min), max: highest === '' ? Infinity : Number(highest) };
}

function charClass(cursor: Cursor): string {
  let inside = '';
  const negated = cursor.chars[cursor.at] === '^';
  if (negated) cursor.at++;
  while (cursor.chars[cursor.at] !== ']') {
    inside += classAtom(cursor);
    // A hyphen that is first or last is a plain character; between two characters it makes a range.
    if (cursor.chars[cursor.at] !== '-' || cursor.chars[cursor.at + 1] === ']') continue;
    cursor.at++;
    inside += `-${classAtom(cursor)}`;
  }
  cursor.at++;
  // RE2 has no empty class.
  if (inside === '') return negated ? `[${everything}]` : `[^${everything}]`;
  return `[${negated ? '^' : ''}${inside}]`;
}

function classAtom(cursor: Cursor): string {
  const char = take(cursor);
  return char === '\\' ? escaped(cursor, (set) => set) : literal(char);
}

const everything = '\\x{0}-\\x{10ffff}';
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, b: 8, '0': 0 };
// ECMA-262 has more white space characters than RE2.
const sets: Readonly<Record<string, string>> = {
  d: '0-9',
  D: '\\x{0}-/:-\\x{10ffff}',
  w: '0-9A-Za-z_',
  W: '\\x{0}-/:-@\\x{5b}-\\x{5e}`\\x{7b}-\\x{10ffff}',
  s: '\\x{9}-\\x{d} \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}',
  S:
    '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
    '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}',
};

/** Reads the characters after a backslash, within a class or outside; `show` writes a set of characters. */
function escaped(cursor: Cursor, show: (set: string) => string): string {
  const char = take(cursor);
  const set = sets[char];
  if (set !== undefined) return show(set);
  if (char === 'p' || char === 'P') return property(char, cursor);
  if (char === 'k' || /[1-9]/.test(char))
    throw new Error('backreferences are not allowed; write the repeated text in full');
  const control = controls[char];
  if (control !== undefined) return hex(control);
  if (char === 'c') return hex((take(cursor).codePointAt(0) ?? 0) % 32);
  if (char === 'x') return hex(digits(cursor, 2));
  return char === 'u' ? hex(unicode(cursor)) : literal(char);
}

function property(letter: string, cursor: Cursor): string {
  const end = cursor.chars.indexOf('}', cursor.at);
  const name = cursor.chars.slice(cursor.at + 1, end).join('');
  cursor.at = end + 1;
  cursor.extra += sizeOfProperty;
  const plain = /^(?:(?:gc|General_Category)=)?([LMNPSZC][a-z]?)$|^(?:sc|Script)=([A-Z][A-Za-z_]+)$/.exec(name);
  if (plain === null)
    throw new Error(`the property ${name} is not known; use a general category such as \\p{Lu}, or \\p{Script=Greek}`);
  return `\\${letter}{${plain[1] ?? plain[2] ?? ''}}`;
}

function unicode(cursor: Cursor): number {
  if (cursor.chars[cursor.at] === '{') {
    const end = cursor.chars.indexOf('}', cursor.at);
    const code = Number.parseInt(cursor.chars.slice(cursor.at + 1, end).join(''), 16);
    cursor.at = end + 1;
    return code;
  }
  const first = digits(cursor, 4);
  const pair = /^\\u(d[c-f][0-9a-f]{2})/i.exec(cursor.chars.slice(cursor.at, cursor.at + 6).join(''));
  if (first < 0xd800 || first > 0xdbff || pair === null) return first;
  cursor.at += 6;
  // Two surrogates of one character, as unicode mode reads them.
  return 0x10000 + (first - 0xd800) * 0x400 + Number.parseInt(pair[1] ?? '', 16) - 0xdc00;
}

function digits(cursor: Cursor, count: number): number {
  const text = cursor.chars.slice(cursor.at, cursor.at + count).join('');
  cursor.at += count;
  return Number.parseInt(text, 16);
}

function take(cursor: Cursor): string {
  return cursor.chars[cursor.at++] ?? '';
}

function literal(char: string): string {
  return /[0-9A-Za-z]/.test(char) ? char : hex(char.codePointAt(0) ?? 0);
}

function hex(code: number): string {
  return `\\x{${code.toString(16)}}`;
}
