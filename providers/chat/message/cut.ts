import { ProviderError } from '../../../kernel/adapter.ts';
import type { Block, Inline } from './blocks.ts';

// What a reader takes for one character: emoji of several code points and letters with accents are not split.
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A vendor's limit, and how to measure in its unit. */
export interface Limit<R> {
  /** What is sent of the blocks. */
  readonly render: (blocks: readonly Block[]) => R;
  readonly size: (rendered: R) => number;
  readonly most: number;
  /** The vendor's name, for the error. */
  readonly vendor: string;
}

/** What is sent, and whether its end was cut off. */
export interface Fitted<R> {
  readonly rendered: R;
  readonly truncated?: true;
}

/**
 * Renders blocks within a limit. Blocks that are too long are rejected (`content_too_long`) or, with `truncate`, cut
 * before they are rendered, so that markup stays whole.
 */
export function fitted<R>(
  { blocks, overflow }: { readonly blocks: readonly Block[]; readonly overflow: 'reject' | 'truncate' },
  { most, render, size, vendor }: Limit<R>,
): Fitted<R> {
  const whole = render(blocks);
  if (size(whole) <= most) return { rendered: whole };
  let best: R | undefined;
  if (overflow === 'truncate') {
    // Finds how many characters fit; their JSON has more units than they are characters.
    for (let low = 0, high = JSON.stringify(blocks).length; low < high;) {
      const middle = Math.floor((low + high) / 2);
      const rendered = render(cut(blocks, middle));
      if (size(rendered) <= most) [best, low] = [rendered, middle + 1];
      else high = middle;
    }
  }
  if (best !== undefined) return { rendered: best, truncated: true };
  throw new ProviderError('rejected', `the message is longer than ${vendor} takes (${size(whole)} of ${most})`, {
    reason: 'content_too_long',
  });
}

/** Counts the Unicode code points of a text, the unit of most vendors. */
export function codePoints(text: string): number {
  return [...text].length;
}

/** Keeps the first `keep` characters and ends them with "…"; mentions are not counted. */
export function cut(blocks: readonly Block[], keep: number): readonly Block[] {
  let left = keep;
  let ended = false;
  const text = (whole: string): string => {
    let kept = '';
    for (const { segment } of characters.segment(whole)) {
      if (left === 0) {
        ended = true;
        return `${kept}…`;
      }
      kept += segment;
      left -= 1;
    }
    return whole;
  };
  const upTo = <T>(list: readonly T[], shorten: (item: T) => T): readonly T[] => {
    const kept: T[] = [];
    for (const item of list) if (!ended) kept.push(shorten(item));
    return kept;
  };
  const inline = (node: Inline): Inline => {
    if (node.kind === 'mention') return node;
    return 'text' in node ? { ...node, text: text(node.text) } : { ...node, content: upTo(node.content, inline) };
  };
  const block = (node: Block): Block => {
    if (node.kind === 'list') return { ...node, items: upTo(node.items, (item) => upTo(item, block)) };
    if (node.kind === 'quote') return { ...node, content: upTo(node.content, block) };
    return node.kind === 'paragraph'
      ? { ...node, content: upTo(node.content, inline) }
      : { ...node, text: text(node.text) };
  };
  return upTo(blocks, block);
}
