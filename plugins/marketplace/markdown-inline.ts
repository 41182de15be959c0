import { html, type HtmlPart } from '../../kernel/index.ts';

/**
 * Renders what stands within a line: code, emphasis, links, line breaks. Links lead to http, https and mailto only; any
 * other is text. Everything else is escaped. Looks at each sign once.
 */
export function inline(text: string): readonly HtmlPart[] {
  const parts: HtmlPart[] = [];
  let plain = '';
  let at = 0;
  const flush = (): void => {
    if (plain !== '') parts.push(plain);
    plain = '';
  };
  while (at < text.length) {
    const found = readSpan(text, at);
    if (found === undefined) {
      plain += text[at] ?? '';
      at += 1;
      continue;
    }
    flush();
    parts.push(found.part);
    at = found.next;
  }
  flush();
  return parts;
}

interface Span {
  readonly part: HtmlPart;
  readonly next: number;
}

function readSpan(text: string, at: number): Span | undefined {
  switch (text[at]) {
    case '\\':
      return /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '') ? { part: text[at + 1] ?? '', next: at + 2 } : undefined;
    case '`':
      return code(text, at);
    case '*':
    case '_':
      return emphasis(text, at);
    case '!':
      return text[at + 1] === '[' ? link(text, at + 1) : undefined;
    case '[':
      return link(text, at);
    case '<':
      return autolink(text, at);
    case ' ':
      return text.startsWith('  \n', at) ? { part: html`<br />`, next: at + 3 } : undefined;
    default:
      return undefined;
  }
}

// A span longer than this is text: the search for its end stays bounded.
const longest = 2_000;

function closing(text: string, mark: string, from: number): number | undefined {
  const end = text.slice(from, from + longest).indexOf(mark);
  return end < 0 ? undefined : from + end;
}

function code(text: string, at: number): Span | undefined {
  const mark = /^`+/.exec(text.slice(at, at + 16))?.[0] ?? '`';
  const end = closing(text, mark, at + mark.length);
  if (end === undefined) return { part: mark, next: at + mark.length };
  return { part: html`<code>${text.slice(at + mark.length, end).trim()}</code>`, next: end + mark.length };
}

function emphasis(text: string, at: number): Span | undefined {
  const sign = text[at] ?? '';
  const mark = text[at + 1] === sign ? sign + sign : sign;
  const start = at + mark.length;
  // `snake_case` is no emphasis, and neither is a sign with a space behind it.
  if (sign === '_' && /\w/.test(text[at - 1] ?? '')) return undefined;
  if (!/\S/.test(text[start] ?? '') || text[start] === sign) return undefined;
  const end = closing(text, mark, start + 1);
  if (end === undefined || /\s/.test(text[end - 1] ?? '')) return undefined;
  const inner = spanText(text.slice(start, end));
  return {
    part: mark.length === 2 ? html`<strong>${inner}</strong>` : html`<em>${inner}</em>`,
    next: end + mark.length,
  };
}

function link(text: string, at: number): Span | undefined {
  const end = closing(text, '](', at + 1);
  if (end === undefined) return undefined;
  const label = text.slice(at + 1, end);
  if (/[[\]\n]/.test(label)) return undefined;
  const after = closingParenthesis(text, end + 2);
  if (after === undefined) return undefined;
  const [target = ''] = text
    .slice(end + 2, after)
    .trim()
    .split(/\s/);
  return { part: anchor(target, label), next: after + 1 };
}

// An address may hold parentheses of its own, in pairs.
function closingParenthesis(text: string, from: number): number | undefined {
  let open = 0;
  for (let at = from; at < Math.min(text.length, from + longest); at++) {
    if (text[at] === '\n') return undefined;
    if (text[at] === '(') open += 1;
    if (text[at] === ')' && open-- === 0) return at;
  }
  return undefined;
}

function autolink(text: string, at: number): Span | undefined {
  const target = /^<((?:https?:\/\/|mailto:)[^\s<>]{1,1000})>/.exec(text.slice(at, at + 1_010))?.[1];
  return target === undefined ? undefined : { part: anchor(target, target), next: at + target.length + 2 };
}

function anchor(target: string, label: string): HtmlPart {
  const shown = label.trim() === '' ? target : label;
  if (!isSafe(target)) return shown;
  return html`<a href="${target}" rel="nofollow noopener ugc">${spanText(shown)}</a>`;
}

/** Says whether a link may lead there. */
export function isSafe(target: string): boolean {
  return /^(https?:\/\/|mailto:)[^\s\\]+$/i.test(target);
}

// Within a span only code is looked for: spans do not nest without end.
function spanText(text: string): readonly HtmlPart[] {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.length > 2 && part.startsWith('`') && part.endsWith('`') ? html`<code>${part.slice(1, -1)}</code>` : part,
    );
}
