import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../boot/config.ts';

/** Reads a file below `kernel/kit/examples`, with other words in place of those that the example uses. */
export function example(path: string, words: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(join(packageDir, 'kernel/kit/examples', path), 'utf8');
  const used = Object.keys(words).map((word) => word.replace(/[[\]().*+?^${}|\\]/g, '\\$&'));
  return used.length === 0 ? text : text.replace(new RegExp(used.join('|'), 'g'), (word) => words[word] ?? word);
}
