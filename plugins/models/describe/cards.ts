const fewest = 13;
const most = 19;
/** Most numbers that are counted in one text. */
const mostCards = 1000;

/**
 * Counts numbers of payment cards: 13 to 19 digits, whose first ones are those of a scheme and whose last one is the check
 * digit, written as one group or in groups with one separator. The time is in proportion to the text.
 */
export function countCards(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length && count < mostCards;) {
    if (!isDigit(text.charCodeAt(at))) {
      at += 1;
      continue;
    }
    const end = isInside(text, at) ? undefined : endOfCard(text, at);
    if (end !== undefined) count += 1;
    at = end ?? endOfDigits(text, at, Infinity);
  }
  return count;
}

const [zero, nine, dot, space, hyphen, underscore] = [48, 57, 46, 32, 45, 95];
const isDigit = (code: number): boolean => code >= zero && code <= nine;
// In ASCII, letters of both cases differ in one bit.
const isWord = (code: number): boolean => ((code | 32) >= 97 && (code | 32) <= 122) || code === underscore;

// A part of a name, or the decimals of another number.
function isInside(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return at > 0 && (before === dot ? isDigit(text.charCodeAt(at - 2)) : isWord(before));
}

function endOfDigits(text: string, from: number, longest: number): number {
  let at = from;
  while (at - from < longest && isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

// Nothing else looks at it while a number is read.
const digits = new Uint8Array(most);

// A number ends with a group: other numbers may stand before and after it.
function endOfCard(text: string, start: number): number | undefined {
  let size = 0;
  let separator: number | undefined;
  for (let from = start; ;) {
    const end = endOfDigits(text, from, most + 1);
    if (size + end - from > most || (separator !== undefined && !isGroup(end - from))) return undefined;
    for (let at = from; at < end; at++) digits[size++] = text.charCodeAt(at) - zero;
    if (size >= fewest && isCard(size) && isWhole(text, end)) return end;
    const next = text.charCodeAt(end);
    const goesOn = (next === space || next === hyphen) && next === (separator ?? next) && isGroup(end - from);
    if (!goesOn || !isDigit(text.charCodeAt(end + 1))) return undefined;
    separator = next;
    from = end + 1;
  }
}

const isGroup = (size: number): boolean => size >= 3 && size <= 7;

function isWhole(text: string, end: number): boolean {
  const next = text.charCodeAt(end);
  return next === dot ? !isDigit(text.charCodeAt(end + 1)) : !isWord(next);
}

interface Scheme {
  /** The first four digits: from, to. */
  readonly first: readonly (readonly [from: number, to: number])[];
  readonly sizes: readonly number[];
}

const [sixteen, longer] = [[16], [16, 17, 18, 19]];
// Visa, Mastercard, American Express, Discover and UnionPay, Diners Club, JCB.
const schemes: readonly Scheme[] = [
  { first: [[4000, 4999]], sizes: [13, 16, 19] },
  {
    first: [
      [5100, 5599],
      [2221, 2720],
    ],
    sizes: sixteen,
  },
  {
    first: [
      [3400, 3499],
      [3700, 3799],
    ],
    sizes: [15],
  },
  {
    first: [
      [6011, 6011],
      [6440, 6599],
      [6200, 6299],
    ],
    sizes: longer,
  },
  {
    first: [
      [3000, 3059],
      [3600, 3699],
      [3800, 3999],
    ],
    sizes: [14, 15, ...longer],
  },
  { first: [[3528, 3589]], sizes: longer },
];

function isCard(size: number): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = digits;
  const four = a * 1000 + b * 100 + c * 10 + d;
  const isKnown = ({ first, sizes }: Scheme): boolean =>
    sizes.includes(size) && first.some(([from, to]) => four >= from && four <= to);
  return schemes.some(isKnown) && hasCheckDigit(digits.subarray(0, size));
}

/** Says whether the last digit is the check digit of the others (Luhn; ISO/IEC 7812-1, annex B). */
export function hasCheckDigit(all: Uint8Array | readonly number[]): boolean {
  let sum = 0;
  for (let at = 0; at < all.length; at++) {
    const digit = all[all.length - 1 - at] ?? 0;
    const doubled = at % 2 === 0 ? digit : 2 * digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
