import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { packageDir } from '../helpers/folder.ts';

const known = new Map<string, readonly string[]>();
const importing = /\b(?:from|import) *\(? *'(\.[^']+)'|new URL\( *'(\.[^']+\.ts)'/g;

/** Lists the files of the checkout that a file imports or starts as a thread, types included; paths below the checkout. */
export function importsOf(file: string): readonly string[] {
  const found = known.get(file);
  if (found !== undefined) return found;
  const path = join(packageDir, file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const imported = [...text.matchAll(importing)].map(([, name = '', url = '']) =>
    relative(packageDir, resolve(dirname(path), name || url)),
  );
  const list = [...new Set(imported)].filter((name) => name.endsWith('.ts') || name.endsWith('.js'));
  known.set(file, list);
  return list;
}

/** Lists a file and all that it reaches by imports; `within`: imports of files outside this folder are not followed. */
export function reachedBy(file: string, within = ''): ReadonlySet<string> {
  const reached = new Set<string>([file]);
  for (const one of reached) if (one.startsWith(within)) for (const imported of importsOf(one)) reached.add(imported);
  return reached;
}
