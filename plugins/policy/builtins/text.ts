import {
  BuiltinFault,
  integerArgument,
  objectArgument,
  stringArgument,
  stringsArgument,
  type Builtin,
  type Builtins,
} from './builtin.ts';

function any(name: string, holds: (text: string, part: string) => boolean): Builtin {
  return (texts, parts) => {
    const found = stringsArgument(name, parts);
    return stringsArgument(name, texts).some((text) => found.some((part) => holds(text, part)));
  };
}

/** Builtins for text, number lists and URL queries. */
export const textBuiltins: Builtins = {
  'strings.any_prefix_match': any('strings.any_prefix_match', (text, part) => text.startsWith(part)),
  'strings.any_suffix_match': any('strings.any_suffix_match', (text, part) => text.endsWith(part)),
  'strings.count': (text, part) => {
    const [whole, sought] = [stringArgument('strings.count', text), stringArgument('strings.count', part)];
    return sought === '' ? Array.from(whole).length + 1 : whole.split(sought).length - 1;
  },
  indexof_n: indexesOf,
  'numbers.range_step': rangeStep,
  'urlquery.encode': (text) => encodeQuery(stringArgument('urlquery.encode', text)),
  'urlquery.decode': (text) => decodeQuery('urlquery.decode', stringArgument('urlquery.decode', text)),
  'urlquery.encode_object': encodeObject,
  'urlquery.decode_object': decodeObject,
};

// Counts code points, as OPA does.
function indexesOf(text: unknown, part: unknown): number[] {
  const whole = Array.from(stringArgument('indexof_n', text));
  const sought = Array.from(stringArgument('indexof_n', part));
  if (sought.length === 0) throw new BuiltinFault('indexof_n', 'the text to look for is empty');
  const found: number[] = [];
  for (let at = 0; at + sought.length <= whole.length; at += 1)
    if (sought.every((point, index) => whole[at + index] === point)) found.push(at);
  return found;
}

const longestRange = 100_000;

function rangeStep(from: unknown, to: unknown, step: unknown): number[] {
  const name = 'numbers.range_step';
  const [first, last, by] = [from, to, step].map((value) => integerArgument(name, value)) as [number, number, number];
  if (by <= 0) throw new BuiltinFault(name, 'the step must be above 0');
  const count = Math.floor(Math.abs(last - first) / by) + 1;
  if (count > longestRange) throw new BuiltinFault(name, `the range is longer than ${longestRange}`);
  return Array.from({ length: count }, (_, index) => (first <= last ? first + index * by : first - index * by));
}

// Go's url.QueryEscape: writes a space as `+` and escapes more characters than encodeURIComponent.
function encodeQuery(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

function decodeQuery(name: string, text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new BuiltinFault(name, 'the text is not a valid query');
  }
}

function encodeObject(value: unknown): string {
  const name = 'urlquery.encode_object';
  const object = objectArgument(name, value);
  return Object.keys(object)
    .sort()
    .flatMap((key) => stringsArgument(name, object[key]).map((one) => `${encodeQuery(key)}=${encodeQuery(one)}`))
    .join('&');
}

function decodeObject(text: unknown): Record<string, string[]> {
  const name = 'urlquery.decode_object';
  const found = new Map<string, string[]>();
  for (const pair of stringArgument(name, text).split('&')) {
    if (pair === '') continue;
    if (pair.includes(';')) throw new BuiltinFault(name, 'the text is not a valid query');
    const at = pair.indexOf('=');
    const key = decodeQuery(name, at < 0 ? pair : pair.slice(0, at));
    found.set(key, [...(found.get(key) ?? []), at < 0 ? '' : decodeQuery(name, pair.slice(at + 1))]);
  }
  return Object.fromEntries(found);
}
