import { html, type Html, type HtmlPart } from '../../kernel/index.ts';
import { inline } from './markdown-inline.ts';

/** Largest README, in bytes of UTF-8. */
export const readmeLimit = 65_536;

/**
 * Renders the part of Markdown that a README needs: headings, paragraphs, lists, quotes, tables of code and prose, fenced
 * code, rules, emphasis, links. Raw HTML is shown as text; pictures become links, so a page loads nothing from elsewhere.
 * Linear in the length of the text.
 */
export function markdown(source: string): Html {
  const lines = source.replace(/\r\n?/g, '\n').split('\n');
  return html`${blocks(lines, 0)}`;
}

interface Taken {
  readonly block: HtmlPart;
  /** Index of the first line after it. */
  readonly next: number;
}

type Reader = (lines: readonly string[], at: number, depth: number) => Taken | undefined;

// How deep quotes and lists may nest; what lies deeper is shown as text.
const maxDepth = 6;

function blocks(lines: readonly string[], depth: number): readonly HtmlPart[] {
  const found: HtmlPart[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]?.trim() === '') {
      at += 1;
      continue;
    }
    const { block, next } = readBlock(lines, at, depth);
    found.push(block);
    at = next;
  }
  return found;
}

function readBlock(lines: readonly string[], at: number, depth: number): Taken {
  for (const read of readers) {
    const taken = read(lines, at, depth);
    if (taken !== undefined) return taken;
  }
  return paragraph(lines, at);
}

const fence: Reader = (lines, at) => {
  const mark = /^ {0,3}(```+|~~~+)/.exec(lines[at] ?? '')?.[1];
  if (mark === undefined) return undefined;
  let end = at + 1;
  while (end < lines.length && !(lines[end] ?? '').trim().startsWith(mark)) end += 1;
  return { block: html`<pre tabindex="0"><code>${lines.slice(at + 1, end).join('\n')}</code></pre>`, next: end + 1 };
};

// The page has its own h1 and h2: a README begins at h3.
const heading: Reader = (lines, at) => {
  const [, marks = '', text = ''] = /^ {0,3}(#{1,6})\s+(.*)$/.exec(lines[at] ?? '') ?? [];
  if (marks === '') return undefined;
  const content = inline(text.replace(/\s#+\s*$/, ''));
  const block =
    marks.length === 1
      ? html`<h3>${content}</h3>`
      : marks.length === 2
        ? html`<h4>${content}</h4>`
        : html`<h5>${content}</h5>`;
  return { block, next: at + 1 };
};

const rule: Reader = (lines, at) =>
  /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/.test(lines[at] ?? '') ? { block: html`<hr />`, next: at + 1 } : undefined;

const quote: Reader = (lines, at, depth) => {
  if (depth >= maxDepth || !isQuote(lines[at])) return undefined;
  let end = at;
  while (isQuote(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ''));
  return { block: html`<blockquote>${blocks(inner, depth + 1)}</blockquote>`, next: end };
};

function isQuote(line: string | undefined): boolean {
  return line !== undefined && /^ {0,3}>/.test(line);
}

const bullet = /^( {0,3})(?:[-*+]|(\d{1,9})[.)])([ \t]+)(?=\S)/;

const list: Reader = (lines, at, depth) => {
  const first = bullet.exec(lines[at] ?? '');
  if (first === null || depth >= maxDepth) return undefined;
  const ordered = first[2] !== undefined;
  const items: HtmlPart[] = [];
  let next = at;
  for (;;) {
    const mark = bullet.exec(lines[next] ?? '');
    if (mark === null || (mark[2] !== undefined) !== ordered) break;
    const end = endOfItem(lines, next + 1, mark[0].length);
    const inner = lines
      .slice(next, end)
      .map((line, index) => line.slice(index === 0 ? mark[0].length : indentOf(line, mark[0].length)));
    items.push(html`<li>${itemContent(inner, depth)}</li>`);
    next = end;
    while (lines[next]?.trim() === '' && bullet.test(lines[next + 1] ?? '')) next += 1;
  }
  return {
    block: ordered
      ? html`<ol>
          ${items}
        </ol>`
      : html`<ul>
          ${items}
        </ul>`,
    next,
  };
};

// What is indented as far as the item's own text belongs to it.
function endOfItem(lines: readonly string[], from: number, width: number): number {
  let end = from;
  while (end < lines.length) {
    const line = lines[end] ?? '';
    const own = line.trim() !== '' && indentOf(line, width) === width;
    const ends = line.trim() === '' ? !/^ {2,}\S/.test(lines[end + 1] ?? '') : bullet.test(line) || startsBlock(line);
    if (!own && ends) break;
    end += 1;
  }
  return end;
}

function indentOf(line: string, most: number): number {
  const spaces = line.length - line.trimStart().length;
  return Math.min(spaces, most);
}

// A one-paragraph item is text alone, as in a tight list.
function itemContent(lines: readonly string[], depth: number): HtmlPart {
  const plain = lines.every(
    (line, index) => line.trim() !== '' && (index === 0 || !startsBlock(line)) && !bullet.test(line),
  );
  return plain ? inline(lines.join('\n')) : blocks(lines, depth + 1);
}

function startsBlock(line: string): boolean {
  return /^ {0,3}(#{1,6}\s|>|```|~~~)/.test(line);
}

function paragraph(lines: readonly string[], at: number): Taken {
  let end = at + 1;
  while (
    end < lines.length &&
    lines[end]?.trim() !== '' &&
    !startsBlock(lines[end] ?? '') &&
    !bullet.test(lines[end] ?? '')
  )
    end += 1;
  // Two spaces at the end of a line break it, so the ends of lines stay.
  const text = lines
    .slice(at, end)
    .map((line) => line.trimStart())
    .join('\n')
    .trimEnd();
  return { block: html`<p>${inline(text)}</p>`, next: end };
}

const readers: readonly Reader[] = [fence, heading, rule, quote, list];
