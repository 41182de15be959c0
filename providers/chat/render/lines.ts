import type { Block, Inline } from '../message/blocks.ts';

/** How one vendor writes a message as text. Arguments named `inner` are already written. */
export interface Dialect {
  /** Writes literal text so that nothing in it is markup. */
  text(text: string): string;
  strong(inner: string): string;
  emphasis(inner: string): string;
  strike(inner: string): string;
  code(text: string): string;
  fence(text: string, language: string | undefined): string;
  link(inner: string, url: string): string;
  mention(mention: Extract<Inline, { kind: 'mention' }>): string;
  /** With the space after it. */
  readonly bullet: string;
}

/** Writes blocks in a dialect. */
export function written(blocks: readonly Block[], dialect: Dialect): string {
  return blocks.map((block, index) => `${gapOf(blocks[index - 1], block)}${blockText(block, dialect)}`).join('');
}

/** Returns the line feeds between two blocks: an empty line where Markdown would otherwise join them. */
export function gapOf(before: Block | undefined, block: Block): '' | '\n' | '\n\n' {
  if (before === undefined) return '';
  const joins = before.kind === 'title' || (before.kind === 'paragraph' && block.kind !== 'paragraph');
  return joins ? '\n' : '\n\n';
}

/** Returns the mark before an item of a list. */
export function markOf({ start }: Extract<Block, { kind: 'list' }>, index: number, bullet: string): string {
  return start === undefined ? bullet : `${start + index}. `;
}

function blockText(block: Block, dialect: Dialect): string {
  switch (block.kind) {
    case 'title':
      return dialect.strong(dialect.text(block.text));
    case 'paragraph':
      return inlineText(block.content, dialect);
    case 'code':
      return dialect.fence(block.text, block.language);
    case 'quote':
      return written(block.content, dialect).replaceAll(/^/gmu, '> ');
    case 'list':
      return block.items
        .map((item, index) => {
          const mark = markOf(block, index, dialect.bullet);
          return `${mark}${written(item, dialect).replaceAll(/\n(?!\n)/gu, `\n${' '.repeat(mark.length)}`)}`;
        })
        .join('\n');
  }
}

function inlineText(content: readonly Inline[], dialect: Dialect): string {
  return content
    .map((node) => {
      if (node.kind === 'mention') return dialect.mention(node);
      if ('text' in node) return dialect[node.kind](node.text);
      const inner = inlineText(node.content, dialect);
      return node.kind === 'link' ? dialect.link(inner, node.url) : dialect[node.kind](inner);
    })
    .join('');
}

/** Puts a mark around each line of a text: no vendor's mark spans lines. */
export function around(mark: string): (inner: string) => string {
  return (inner) => inner.replaceAll(/^.*\S.*$/gmu, (line) => `${mark}${line}${mark}`);
}
