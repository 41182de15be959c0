import type { Inline } from './blocks.ts';

type Style = 'strong' | 'emphasis' | 'strike';

// A run of marks that may begin or end a style.
interface Mark {
  readonly mark: string;
  readonly opens: boolean;
  readonly closes: boolean;
}

type Token = Inline | Mark;

const styles: Readonly<Partial<Record<string, Style>>> = {
  '**': 'strong',
  __: 'strong',
  '*': 'emphasis',
  _: 'emphasis',
  '~~': 'strike',
};

// Deeper styles stay text: no reader tells them apart.
const mostDepth = 6;

/** Parses styles, code and https links of a paragraph; everything else stays text. Never throws. */
export function parseInline(text: string, links = true): readonly Inline[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const { found, length } = tokenAt(text, at, links);
    tokens.push(...found);
    at += length;
  }
  return styled(tokens, 0, tokens.length, 0);
}

const escape = /\\([!-/:-@[-`{-~])/y;
const code = /(`+)(?!`)([^]*?[^`])\1(?!`)/y;
const link = /\[((?:[^[\]\\]|\\[^])+)\]\((https:\/\/[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)\)/y;
const bareLink = /<(https:\/\/[^\s<>]+)>/y;
const notMark = /\*{4,}|_{4,}|~{3,}|~(?!~)|`+/y;
const mark = /\*{1,3}|_{1,3}|~~/y;
const plain = /[^\\`[<*_~]+|[^]/uy;

interface Piece {
  readonly found: readonly Token[];
  readonly length: number;
}

function tokenAt(text: string, at: number, links: boolean): Piece {
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text) ?? undefined;
  };
  const escaped = match(escape);
  if (escaped !== undefined) return piece(escaped, literal(escaped[1]));
  const span = match(code);
  if (span !== undefined) return piece(span, { kind: 'code', text: codeText(span[2] ?? '') });
  const named = links ? match(link) : undefined;
  if (named !== undefined && isSafe(named[2]))
    return piece(named, { kind: 'link', url: named[2] ?? '', content: parseInline(named[1] ?? '', false) });
  const bare = links ? match(bareLink) : undefined;
  if (bare !== undefined && isSafe(bare[1]))
    return piece(bare, { kind: 'link', url: bare[1] ?? '', content: [literal(bare[1])] });
  const run = match(notMark) === undefined ? match(mark) : undefined;
  if (run !== undefined) return piece(run, ...marksOf(text, at, run[0]));
  const rest = match(notMark) ?? match(plain);
  return rest === undefined ? { found: [literal(text.slice(at))], length: text.length } : piece(rest, literal(rest[0]));
}

const piece = (match: RegExpExecArray, ...found: readonly Token[]): Piece => ({ found, length: match[0].length });
const literal = (text = ''): Inline => ({ kind: 'text', text });

// CommonMark 6.1: line ends are spaces; one space at both ends only keeps backticks apart.
function codeText(inner: string): string {
  const line = inner.replaceAll('\n', ' ');
  return /^ .*\S.* $/u.test(line) ? line.slice(1, -1) : line;
}

// A name before the host would deceive readers about the host.
function isSafe(url = ''): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && parsed.hostname !== '' && parsed.username === '' && parsed.password === '';
}

// As in CommonMark 6.2, but a single * in a word (2*3*4) begins nothing.
function marksOf(text: string, at: number, run: string): readonly Mark[] {
  const end = at + run.length;
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(end, end + 2);
  const opens = /^\S/u.test(after) && !inWord(run, /.$/u.exec(before)?.[0]);
  const closes = /\S$/u.test(before) && !inWord(run, /^./u.exec(after)?.[0]);
  if (run.length < 3) return [{ mark: run, opens, closes }];
  const [one = ''] = run;
  const both = [one + one, one].map((single) => ({ mark: single, opens, closes }));
  return closes && !opens ? both.reverse() : both;
}

function inWord(run: string, neighbour = ''): boolean {
  if (run.startsWith('_')) return /[\p{L}\p{N}]/u.test(neighbour);
  return run === '*' && /[A-Za-z0-9]/u.test(neighbour);
}

function styled(tokens: readonly Token[], from: number, to: number, depth: number): readonly Inline[] {
  const found: Inline[] = [];
  // Marks that nothing closes up to `to`: nothing closes a later one, either.
  const unclosed = new Set<string>();
  for (let at = from; at < to; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (!('mark' in token)) {
      found.push(token);
      continue;
    }
    const style = token.opens && depth < mostDepth && !unclosed.has(token.mark) ? styles[token.mark] : undefined;
    const end = style === undefined ? -1 : closing(tokens, at, to, token.mark);
    if (style !== undefined && end > at + 1) {
      found.push({ kind: style, content: styled(tokens, at + 1, end, depth + 1) });
      at = end;
      continue;
    }
    if (style !== undefined) unclosed.add(token.mark);
    found.push(literal(token.mark));
  }
  return joined(found);
}

function closing(tokens: readonly Token[], opener: number, to: number, wanted: string): number {
  for (let at = opener + 1; at < to; at += 1) {
    const token = tokens[at];
    if (token !== undefined && 'mark' in token && token.mark === wanted && token.closes) return at;
  }
  return -1;
}

function joined(nodes: readonly Inline[]): readonly Inline[] {
  const list: Inline[] = [];
  for (const node of nodes) {
    const last = list.at(-1);
    if (node.kind === 'text' && last?.kind === 'text') list[list.length - 1] = literal(last.text + node.text);
    else list.push(node);
  }
  return list;
}
