import type { Block } from '../message/blocks.ts';
import { written, type Dialect } from './lines.ts';
import { quiet } from './quiet.ts';

const same = (text: string): string => text;

const dialect: Dialect = {
  text: quiet,
  strong: same,
  emphasis: same,
  strike: same,
  code: quiet,
  fence: quiet,
  link: (inner, url) => (inner === quiet(url) ? inner : `${inner} (${quiet(url)})`),
  mention: ({ id }) => id,
  bullet: '• ',
};

/** Writes a message without markup, in which only its mentions notify anybody, as `people` has them. */
export function plain(blocks: readonly Block[]): string {
  return written(blocks, dialect);
}
