import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from './folder.ts';

/** Reads the cells after the first of the table row that begins with it; `path`: of the guide, from the root. */
export function guideRow(path: string, first: string): readonly string[] | undefined {
  const lines = readFileSync(join(packageDir, path), 'utf8').split('\n');
  const row = lines.find((line) => line.startsWith(`| ${first} `));
  return row
    ?.split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}
