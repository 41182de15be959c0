/** How a character can deceive a reader; `rtl`: letters that are read from right to left, and move their neighbours. */
export type MarkKind = 'bidi' | 'invisible' | 'control' | 'space' | 'lookalike' | 'rtl';

/** A piece of a text: without `kind` it is as it looks. The texts of all pieces joined are the text itself. */
export interface Piece {
  readonly text: string;
  readonly kind?: MarkKind;
  /** What it is, for example `U+202E right-to-left override`; absent for plain text and for `rtl`. */
  readonly label?: string;
}

const names: Readonly<Record<number, string>> = {
  ...{ 0x0000: 'null', 0x0008: 'backspace', 0x000d: 'carriage return', 0x001b: 'escape', 0x007f: 'delete' },
  ...{ 0x00a0: 'no-break space', 0x00ad: 'soft hyphen', 0x034f: 'combining grapheme joiner' },
  ...{ 0x061c: 'Arabic letter mark', 0x200b: 'zero width space', 0x200c: 'zero width non-joiner' },
  ...{ 0x200d: 'zero width joiner', 0x200e: 'left-to-right mark', 0x200f: 'right-to-left mark' },
  ...{ 0x2028: 'line separator', 0x2029: 'paragraph separator', 0x202a: 'left-to-right embedding' },
  ...{ 0x202b: 'right-to-left embedding', 0x202c: 'pop directional formatting', 0x202d: 'left-to-right override' },
  ...{ 0x202e: 'right-to-left override', 0x2060: 'word joiner', 0x2066: 'left-to-right isolate' },
  ...{ 0x2067: 'right-to-left isolate', 0x2068: 'first strong isolate', 0x2069: 'pop directional isolate' },
  ...{ 0xfeff: 'byte order mark' },
};

// Pairs of a character and the one of ASCII that it looks like (Unicode TR 39). As escapes: they look alike here, too.
const lettersLike = pairs(
  // Cyrillic
  '\u0430a\u0435e\u043eo\u0440p\u0441c\u0443y\u0445x\u0456i\u0458j\u0455s\u04bbh\u0501d\u051bq\u051dw\u04cfl',
  '\u04afy\u050dg\u0475v\u044cb\u0410A\u0412B\u0415E\u041aK\u041cM\u041dH\u041eO\u0420P\u0421C\u0422T\u0425X',
  '\u0423Y\u0406I\u0408J\u0405S\u050cG\u051aQ\u051cW\u04aeY\u04c0I\u0474V\u042cb',
  // Greek
  '\u03bfo\u03b1a\u03bdv\u03b9i\u03bak\u03c1p\u03c5u\u03f2c\u03f3j\u03b3y\u03c7x\u03c4t\u0391A\u0392B\u0395E',
  '\u0396Z\u0397H\u0399I\u039aK\u039cM\u039dN\u039fO\u03a1P\u03a4T\u03a5Y\u03a7X\u03f9C\u037fJ',
  // Armenian
  '\u0585o\u0578n\u057du\u0570h\u0566q\u0563q\u0581g\u0584p\u0575j\u0555O\u054fS\u053cL\u054dU\u0548n',
  // Cherokee and Lisu
  '\u13a0D\u13a1R\u13a2T\u13aaA\u13abJ\u13acE\u13b3W\u13b7M\u13bbH\u13bdY\u13c0G\u13c3Z\u13ce4\u13cfb\u13d2R',
  '\u13d4W\u13d5S\u13d9V\u13daS\u13deL\u13dfC\u13e2P\u13e6K\u13f4B',
  '\ua4d0B\ua4d1P\ua4d3D\ua4d4T\ua4d6G\ua4d7K\ua4d9J\ua4daC\ua4ddF\ua4dfM\ua4e0N\ua4e1L\ua4e2S\ua4e3R\ua4e6V',
  '\ua4e7H\ua4eaW\ua4ebX\ua4ecY\ua4eeA\ua4f0E\ua4f2I\ua4f3O\ua4f4U',
);
// These are marked wherever they are: no text needs them next to the character that they look like.
const signsLike = pairs(
  '\u2044/\u2215/\u29f8/\u2571/\u2afd/\u2216\\\u29f5\\\u2236:\ua789:\u02d0:\u01c3!\u2010-\u2011-\u2212-\u02d7-',
  "\ua4f8.\u3002.\uff61.\u02bc'\u02b9'\u02c8'\u0251a\u0261g\u0269i\ua7b5B",
);
// Their normal forms are of ASCII, but everybody tells them from it.
const harmless = new Set('\u2026\u2122\u2116');

// Scripts that are written in one word with Latin letters.
const withLatin =
  /[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;
const latin = /[\p{Script=Latin}]/u;
const letter = /\p{L}/u;
const wordOrOther = /[\p{L}\p{M}\p{N}\p{DI}]+|[^\p{L}\p{M}\p{N}\p{DI}]+/gu;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const otherDigit = /(?![0-9])\p{Nd}/u;
const ordinary = /^[\t\n -~]*$/;
const overlay = /[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]/;

function pairs(...rows: readonly string[]): ReadonlyMap<string, string> {
  const all = rows.join('');
  return new Map([...all].flatMap((sign, at) => (at % 2 === 0 ? [[sign, all.charAt(at + 1)] as const] : [])));
}

/**
 * Cuts a text into pieces, so that a page can show the characters that deceive: marks of direction, invisible ones,
 * control characters, unusual spaces, and letters that look like others. Line feeds and tabs are plain text.
 */
export function piecesOf(text: string): readonly Piece[] {
  if (ordinary.test(text)) return text === '' ? [] : [{ text }];
  const letters = [...text].filter((char) => letter.test(char));
  const isPlain = !letters.some((char) => latin.test(char)) && letters.some((char) => !lettersLike.has(char));
  const pieces: Piece[] = [];
  for (const [part] of text.matchAll(wordOrOther)) {
    if (ordinary.test(part)) {
      add(pieces, { text: part });
      continue;
    }
    const chars = [...part];
    const own = chars.filter((char) => letter.test(char));
    const mixes = own.some((char) => latin.test(char));
    const imitates = !isPlain && own.length > 0 && own.every((char) => lettersLike.has(char));
    const digits = mixes || /[0-9]/.test(part);
    let marks = 0;
    for (const char of chars) {
      marks = /\p{M}/u.test(char) ? marks + 1 : 0;
      add(pieces, pieceOf(char, { mixes, imitates, digits, marks }));
    }
  }
  return pieces;
}

/** Cuts the indented JSON text of a value into pieces; line feeds and quotes of its strings are escaped. */
export function piecesOfJson(value: unknown): readonly Piece[] {
  const text = JSON.stringify(value, undefined, 2);
  const pieces: Piece[] = [];
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[^"]+/g)) {
    if (!token.startsWith('"')) {
      add(pieces, { text: token });
      continue;
    }
    add(pieces, { text: '"' });
    // A token of JSON.stringify.
    for (const piece of piecesOf(JSON.parse(token) as string))
      add(pieces, { ...piece, text: JSON.stringify(piece.text).slice(1, -1) });
    add(pieces, { text: '"' });
  }
  return pieces;
}

/** Says whether a text has characters that a page must mark. */
export function isMarked(pieces: readonly Piece[]): boolean {
  return pieces.some(({ kind }) => kind !== undefined && kind !== 'rtl');
}

interface Word {
  /** It has letters of Latin. */
  readonly mixes: boolean;
  /** It has only letters that look like those of Latin. */
  readonly imitates: boolean;
  /** It has digits of ASCII, or letters of Latin. */
  readonly digits: boolean;
  /** How many combining marks are in a row. */
  readonly marks: number;
}

function pieceOf(text: string, { mixes, imitates, digits, marks }: Word): Piece {
  const code = text.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return { text };
  const hidden = hiddenKind(text);
  if (hidden !== undefined)
    return { text, kind: hidden, label: `${codeName(code)} ${names[code] ?? plainNames[hidden]}` };
  const like = signsLike.get(text) ?? normalLike(text);
  const alike = (what: string): Piece => ({ text, kind: 'lookalike', label: `${codeName(code)} ${what}` });
  if (like !== undefined) return alike(`looks like ${like}`);
  if (marks > 2 || overlay.test(text)) return alike('combining mark');
  if (digits && otherDigit.test(text)) return alike('digit of another script');
  const foreign = letter.test(text) && !withLatin.test(text);
  if (foreign && (mixes || imitates)) {
    const known = lettersLike.get(text);
    return alike(known === undefined ? 'letter of another script' : `looks like ${known}`);
  }
  return rightToLeft.test(text) ? { text, kind: 'rtl' } : { text };
}

const plainNames = {
  ...{ bidi: 'mark of direction', invisible: 'invisible character', control: 'control character' },
  space: 'unusual space',
} as const;

function hiddenKind(char: string): keyof typeof plainNames | undefined {
  if (/\p{Bidi_C}/u.test(char)) return 'bidi';
  if (/[\p{DI}\p{Cf}\u2800]/u.test(char)) return 'invisible';
  if (/[\p{Zs}\p{Zl}\p{Zp}]/u.test(char)) return 'space';
  return /[\p{Cc}\p{Cs}\p{Co}\p{Cn}]/u.test(char) && !/[\n\t]/.test(char) ? 'control' : undefined;
}

// Full-width and mathematical forms, ligatures and the like. Those of Latin-1 (a half, the power of two) deceive nobody.
function normalLike(char: string): string | undefined {
  if ((char.codePointAt(0) ?? 0) < 0x100 || harmless.has(char)) return undefined;
  const normal = char.normalize('NFKC');
  return normal !== char && /^[!-~]{1,3}$/.test(normal) ? normal : undefined;
}

function codeName(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

// Plain text, and letters that are read from right to left, are one piece with what is before them.
function add(pieces: Piece[], piece: Piece): void {
  const before = pieces.at(-1);
  const joins = before !== undefined && before.label === undefined && piece.label === undefined;
  if (joins && before.kind === piece.kind) pieces[pieces.length - 1] = { ...before, text: before.text + piece.text };
  else if (piece.text !== '') pieces.push(piece);
}
