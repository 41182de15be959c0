/** The place where a text stops being JSON, and the JSON expected there. */
export interface JsonFault {
  /** Index into the text; its length when the text ends too early. */
  readonly position: number;
  readonly expected: string;
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
 * Finds the first fault of a text that JSON.parse refused. It runs on failure only, so it is simple rather than fast.
 */
export function findFault(text: string): JsonFault {
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
