import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../kernel/boot/config.ts';
import { guideBlocks, readGuide, type Block } from './guide.ts';

const file = join(packageDir, 'README.md');

/** Set by `UPDATE_GOLDEN=1`: what is derived is written anew instead of compared. */
export const updating = process.env['UPDATE_GOLDEN'] === '1';

/** Reads the README. */
export function readReadme(): string {
  return readGuide('README.md');
}

/** Lists the fenced blocks of the README, in order. */
export function blocks(language: string): readonly Block[] {
  return guideBlocks('README.md').filter((block) => block.language === language);
}

/** Reads the table under a heading: its cells, the head left out. */
export function tableUnder(heading: string): readonly (readonly string[])[] {
  const { lines } = locate(readReadme(), heading);
  return lines.slice(2).map(cellsOf);
}

/** Compares the table under a heading with rows derived from the code, or writes it when updating. */
export function expectTable(heading: string, rows: readonly (readonly string[])[]): void {
  if (updating) {
    const text = readReadme();
    const { start, lines } = locate(text, heading);
    const table = layout([cellsOf(lines[0] ?? ''), ...rows]);
    writeFileSync(file, text.slice(0, start) + table + text.slice(start + lines.join('\n').length));
  }
  expect(tableUnder(heading), `README.md, ${heading}; UPDATE_GOLDEN=1 writes it anew`).to.deep.equal(rows);
}

function locate(text: string, heading: string): { readonly start: number; readonly lines: readonly string[] } {
  const title = new RegExp(`^#+ ${heading}$`, 'm').exec(text);
  const start = title === null ? -1 : text.indexOf('\n|', title.index) + 1;
  if (start < 1) throw new Error(`README.md has no table under the heading ${heading}`);
  const lines: string[] = [];
  for (const line of text.slice(start).split('\n')) {
    if (!line.startsWith('|')) break;
    lines.push(line);
  }
  return { start, lines };
}

function cellsOf(line: string): string[] {
  const cells = line.replace(/^\||\|$/g, '').split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replace(/\\([\\|*_<>[\]])/g, '$1'));
}

// As the formatter lays it out.
function layout([head = [], ...rows]: readonly (readonly string[])[]): string {
  const escaped = [head, ...rows].map((row) => row.map(escape));
  const widths = head.map((_, column) => Math.max(3, ...escaped.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(escaped[0] ?? []), rule, ...escaped.slice(1).map(line)].join('\n');
}

// Outside of code a star would begin emphasis.
function escape(cell: string): string {
  const parts = cell.split(/(`[^`]*`)/);
  return parts.map((part) => (part.startsWith('`') ? part : part.replace(/[*|]/g, '\\$&'))).join('');
}
