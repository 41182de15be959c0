import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import { sitesOf, type Site } from './sites.ts';

/** One rule of the program, broken. */
export interface Mutant extends Site {
  readonly file: string;
}

/** Makes numbers from 0 to 1 from a seed (mulberry32), the same on each machine. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Draws mutants without end: the file by its count of lines, then the operator, then the place. All that is drawn
 * depends on the seed and on the sources alone.
 */
export function* draw(seed: number): Generator<Mutant> {
  const next = numbersFrom(seed);
  const listed = execFileSync('git', ['ls-files', 'kernel', 'plugins', 'providers'], {
    cwd: packageDir,
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter((file) => file.endsWith('.ts') && !/\.d\.c?ts$/.test(file));
  const lines = files.map((file) => readFileSync(join(packageDir, file), 'utf8').split('\n').length);
  const all = lines.reduce((sum, count) => sum + count, 0);
  for (;;) {
    let line = next() * all;
    const at = lines.findIndex((count) => (line -= count) < 0);
    const file = files[at] ?? '';
    const sites = sitesOf(join(packageDir, file));
    const operators = [...new Set(sites.map(({ operator }) => operator))].sort();
    const operator = operators[Math.floor(next() * operators.length)];
    const fitting = sites.filter((site) => site.operator === operator);
    const site = fitting[Math.floor(next() * fitting.length)];
    if (site !== undefined) yield { file, ...site };
  }
}
