import type { Block } from './blocks.ts';
import { parseInline } from './inline.ts';

// Deeper quotes and lists stay text.
const mostDepth = 6;

// What a reader found at a line: the block, unless it is empty, and the line after it.
interface Read {
  readonly block: Block | undefined;
  readonly next: number;
}

type Reader = (lines: readonly string[], at: number, depth: number) => Read | undefined;

/**
 * Parses the subset of Markdown that all vendors can show: paragraphs, fenced code, lists, quotes, and the styles of
 * `parseInline`. Everything else, such as headings, tables and HTML, stays text. Never throws.
 */
export function parseMarkdown(text: string): readonly Block[] {
  return blocksOf(text.split('\n'), 0);
}

function blocksOf(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = [];
  const readers = depth < mostDepth ? [blank, fence, quote, list] : [blank];
  for (let at = 0; at < lines.length;) {
    let read: Read | undefined;
    for (const reader of readers) read ??= reader(lines, at, depth);
    read ??= paragraph(lines, at);
    if (read.block !== undefined) blocks.push(read.block);
    at = read.next;
  }
  return blocks;
}

const fenceLine = /^ {0,3}(`{3,}|~{3,}) *([\w+#.-]*) *$/u;
const quoteMark = /^ {0,3}> ?/u;
const itemMark = /^( {0,3})(?:[-*+]|(\d{1,9})[.)]) {1,4}(?=\S)/u;

const isBlank = (line: string | undefined): boolean => line?.trim() === '';

const blank: Reader = (lines, at) => (isBlank(lines[at]) ? { block: undefined, next: at + 1 } : undefined);

const fence: Reader = (lines, at) => {
  const [, mark, language = ''] = fenceLine.exec(lines[at] ?? '') ?? [];
  if (mark === undefined) return undefined;
  const closes = (line: string): boolean => {
    const trimmed = line.trim();
    return trimmed.length >= mark.length && trimmed.replaceAll(mark.charAt(0), '') === '';
  };
  const end = lines.findIndex((line, index) => index > at && closes(line));
  const until = end < 0 ? lines.length : end;
  const text = lines.slice(at + 1, until).join('\n');
  const block: Block = { kind: 'code', text, ...(language === '' ? {} : { language }) };
  return { block: text.trim() === '' ? undefined : block, next: until + 1 };
};

const quote: Reader = (lines, at, depth) => {
  let end = at;
  while (quoteMark.test(lines[end] ?? '')) end += 1;
  if (end === at) return undefined;
  const content = blocksOf(
    lines.slice(at, end).map((line) => line.replace(quoteMark, '')),
    depth + 1,
  );
  return { block: content.length === 0 ? undefined : { kind: 'quote', content }, next: end };
};

const list: Reader = (lines, at, depth) => {
  const first = itemMark.exec(lines[at] ?? '');
  if (first === null) return undefined;
  const ordered = first[2] !== undefined;
  const items: (readonly Block[])[] = [];
  let next = at;
  for (;;) {
    const begin = lines.findIndex((line, index) => index >= next && !isBlank(line));
    const match = begin < 0 ? null : itemMark.exec(lines[begin] ?? '');
    if (match === null || (match[2] !== undefined) !== ordered) break;
    const width = match[0].length;
    next = itemEnd(lines, begin + 1, (match[1] ?? '').length + 2);
    const rest = lines.slice(begin + 1, next).map((line) => line.slice(Math.min(width, indentOf(line))));
    items.push(blocksOf([(lines[begin] ?? '').slice(width), ...rest], depth + 1));
  }
  return { block: { kind: 'list', ...(ordered ? { start: Number(first[2]) } : {}), items }, next };
};

// Indented lines, and blank lines between them, belong to the item.
function itemEnd(lines: readonly string[], from: number, indent: number): number {
  let end = from;
  for (let at = from; at < lines.length; at += 1) {
    if (isBlank(lines[at])) continue;
    if (indentOf(lines[at] ?? '') < indent) break;
    end = at + 1;
  }
  return end;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

function paragraph(lines: readonly string[], at: number): Read {
  let end = at + 1;
  while (end < lines.length && !interrupts(lines[end] ?? '')) end += 1;
  return { block: { kind: 'paragraph', content: parseInline(lines.slice(at, end).join('\n')) }, next: end };
}

function interrupts(line: string): boolean {
  if (isBlank(line) || fenceLine.test(line) || quoteMark.test(line)) return true;
  // "We sold\n12. in May" is no list: CommonMark 5.3.
  const item = itemMark.exec(line);
  return item !== null && (item[2] === undefined || item[2] === '1');
}
