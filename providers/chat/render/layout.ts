import type { Block, Inline } from '../message/blocks.ts';
import { gapOf, markOf } from './lines.ts';

/** A style of a run. */
export type Style = 'strong' | 'emphasis' | 'strike' | 'code';

/** A text whose characters all have the same styles. */
export interface Run {
  readonly text: string;
  readonly styles: readonly Style[];
  readonly url?: string;
  /** Who is notified; `text` is then the alias. */
  readonly mention?: string;
}

/** One line of a message, without its line feed. Lines of one block of code or one quote have the same object. */
export interface Line {
  readonly runs: readonly Run[];
  readonly code?: Extract<Block, { kind: 'code' }>;
  readonly quote?: Extract<Block, { kind: 'quote' }>;
}

/** Lays blocks out as lines, for vendors whose messages have styles beside the text. */
export function layout(blocks: readonly Block[]): readonly Line[] {
  return blocks.flatMap((block, index) => {
    const apart = gapOf(blocks[index - 1], block) === '\n\n';
    return apart ? [{ runs: [] }, ...linesOf(block)] : linesOf(block);
  });
}

function linesOf(block: Block): readonly Line[] {
  switch (block.kind) {
    case 'title':
      return [{ runs: [{ text: block.text, styles: ['strong'] }] }];
    case 'paragraph':
      return split(block.content.flatMap((node) => runsOf(node, [])));
    case 'code':
      return block.text.split('\n').map((text) => ({ runs: [{ text, styles: [] }], code: block }));
    case 'quote':
      return layout(block.content).map((line) => ({ ...line, quote: block }));
    case 'list':
      return block.items.flatMap((item, index) => {
        const mark = markOf(block, index, '• ');
        return layout(item).map((line, at) => {
          const text = at === 0 ? mark : '\u2003'.repeat(mark.length > 2 ? 2 : 1);
          return { ...line, runs: [{ text, styles: [] }, ...line.runs] };
        });
      });
  }
}

function runsOf(node: Inline, styles: readonly Style[], url?: string): readonly Run[] {
  const linked = url === undefined ? {} : { url };
  if (node.kind === 'mention') return [{ text: node.alias, styles, mention: node.id }];
  if (node.kind === 'text') return [{ text: node.text, styles, ...linked }];
  if (node.kind === 'code') return [{ text: node.text, styles: [...styles, 'code'], ...linked }];
  if (node.kind === 'link') return node.content.flatMap((inner) => runsOf(inner, styles, node.url));
  const more = styles.includes(node.kind) ? styles : [...styles, node.kind];
  return node.content.flatMap((inner) => runsOf(inner, more, url));
}

function split(runs: readonly Run[]): readonly Line[] {
  const lines: Run[][] = [[]];
  for (const run of runs)
    for (const [index, text] of run.text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (text !== '') lines.at(-1)?.push({ ...run, text });
    }
  return lines.map((line) => ({ runs: line }));
}
