import type { MarkdownIt, Token } from 'markdown-it';
import { escapeHtml, trusted, withoutUnseen } from '../../kernel/index.ts';
import type { LinkTarget, MarkdownOptions, MarkdownSection, Pages } from './contract.ts';

/** Renders Markdown. */
export const markdown: Pages['markdown'] = async (source, options) => {
  const parser = await (made ??= makeParser());
  const tokens = parser.parse(source, {});
  const sections = sectionsOf(tokens);
  settleHeadings(tokens, sections, options);
  for (const token of tokens) {
    if (token.children !== null) token.children = settleLinks(token.children, options.link);
    if (/^t[hd]_open$/.test(token.type)) settleCell(token);
  }
  const shown = parser.renderer.render(tokens, parser.options, { block: options.block });
  return { html: trusted(withoutUnseen(shown)), sections };
};

// Loaded when the first text is rendered, so that a command of `orb` does not wait for it.
let made: Promise<MarkdownIt> | undefined;

async function makeParser(): Promise<MarkdownIt> {
  const { default: create } = await import('markdown-it');
  const parser = create({ html: false, xhtmlOut: true });
  // The option `link` decides which links are allowed.
  parser.validateLink = () => true;
  const textOf = (tokens: readonly Token[], index: number): string => escapeHtml(tokens[index]?.content ?? '');
  const block = (tokens: readonly Token[], index: number): string =>
    `<pre tabindex="0"><code>${textOf(tokens, index).replace(/\n$/, '')}</code></pre>\n`;
  Object.assign(parser.renderer.rules, {
    text: textOf,
    code_inline: (tokens: readonly Token[], index: number) => `<code>${textOf(tokens, index)}</code>`,
    fence: (tokens: readonly Token[], index: number, _options: object, { block: show }: MarkdownOptions) => {
      const { content = '', info = '' } = tokens[index] ?? {};
      return show === undefined
        ? block(tokens, index)
        : `${show(content.replace(/\n$/, ''), info.trim()).toString()}\n`;
    },
    code_block: block,
    // A table wider than the page can be scrolled, also by keyboard.
    table_open: () => '<div class="scroll" tabindex="0"><table>\n',
    table_close: () => '</table></div>\n',
  });
  return parser;
}

function sectionsOf(tokens: readonly Token[]): readonly MarkdownSection[] {
  const found: { id: string; title: string; level: number; text: string }[] = [
    { id: '', title: '', level: 0, text: '' },
  ];
  const taken = new Map<string, number>();
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const title = plain(tokens[index + 1]);
      found.push({ id: anchorOf(title, taken), title, level: Number(token.tag.slice(1)), text: '' });
    } else if (tokens[index - 1]?.type !== 'heading_open') {
      const last = found.at(-1);
      if (last !== undefined && token.content !== '') last.text += `${plain(token)}\n`;
    }
  });
  return found;
}

function plain({ children, content }: Partial<Token> = {}): string {
  if (!children) return content ?? '';
  return children.map((child) => (/break$/.test(child.type) ? ' ' : child.content)).join('');
}

/** Makes the anchor of a heading as code hosts do: the second one of a title is numbered. */
function anchorOf(title: string, taken: Map<string, number>): string {
  const id = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
  const count = taken.get(id) ?? 0;
  taken.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}

function settleHeadings(
  tokens: readonly Token[],
  sections: readonly MarkdownSection[],
  { headings: [first, deepest], anchors }: MarkdownOptions,
): void {
  let count = 0;
  for (const token of tokens) {
    if (token.type !== 'heading_open' && token.type !== 'heading_close') continue;
    token.tag = `h${Math.min(Number(token.tag.slice(1)) + first - 1, deepest)}`;
    if (token.type === 'heading_open') count += 1;
    const id = sections[count]?.id ?? '';
    if (anchors === true && token.type === 'heading_open' && id !== '') token.attrSet('id', id);
  }
}

// The Content-Security-Policy of the page refuses an attribute `style`.
function settleCell(cell: Token): void {
  const right = attributeOf(cell, 'style').includes('right');
  cell.attrs = right ? [['class', 'num']] : null;
}

/** Applies `link` to each link; a picture becomes a link, or words within one. */
function settleLinks(children: readonly Token[], link: MarkdownOptions['link']): Token[] {
  let open: 'no' | 'shown' | 'dropped' = 'no';
  return children.flatMap((token, index) => {
    if (token.type === 'link_open') {
      const address = attributeOf(token, 'href');
      const target = link(address);
      open = target === undefined ? 'dropped' : 'shown';
      if (target !== undefined) token.attrs = attributesOf(target);
      const words = children[index + 1]?.type === 'link_close' ? [textLike(token, address)] : [];
      return target === undefined ? words : [token, ...words];
    }
    if (token.type === 'link_close') {
      const shown = open === 'shown';
      open = 'no';
      return shown ? [token] : [];
    }
    if (token.type !== 'image') return [token];
    const address = attributeOf(token, 'src');
    const target = open === 'no' ? link(address) : undefined;
    return pictureAs(token, plain(token) || address, target);
  });
}

function pictureAs(picture: Token, words: string, target: LinkTarget | undefined): Token[] {
  const text = textLike(picture, words);
  if (target === undefined) return [text];
  const opening = like(picture, { type: 'link_open', tag: 'a', nesting: 1, attrs: attributesOf(target) });
  return [opening, text, like(picture, { type: 'link_close', tag: 'a', nesting: -1 })];
}

function textLike(token: Token, content: string): Token {
  return like(token, { type: 'text', tag: '', nesting: 0, content });
}

function like(token: Token, rest: Partial<Token>): Token {
  return Object.assign(Object.create(token) as Token, { children: null, attrs: null, ...rest });
}

function attributeOf(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}

function attributesOf({ href, rel }: LinkTarget): [string, string][] {
  return [['href', href], ...(rel === undefined ? [] : [['rel', rel] as [string, string]])];
}
