import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { packageDir } from '../helpers/folder.ts';

const app = join(packageDir, 'plugins/console/app');
const table = join(app, 'screens.ts');
const own = `${join(app, 'screens')}/`;

/** Folder of the pictures. */
export const pictures: string = join(packageDir, 'plugins/docs/pictures');
/** File with the digest of the sources of each screen when its pictures were made. */
export const digests: string = join(pictures, 'screens.json');
/** The colour schemes that each screen has a picture of. */
export const schemes = ['light', 'dark'] as const;

/** Names the pictures of a screen by its path: `/runs/{run_id}` is `runs-run_id`. */
export function nameOf(path: string): string {
  const words = path.split('/').filter((word) => word !== '' && word !== '-');
  return words.map((word) => word.replace(/[{}]/g, '')).join('-') || 'home';
}

/**
 * Lists the screens, each with the digest of its own sources: the modules below `screens/` that it consists of. What all
 * screens share changes too often to say that their pictures are old.
 */
export function screenSources(): ReadonlyMap<string, string> {
  const text = readFileSync(table, 'utf8');
  const rows = [...text.matchAll(/\{\s*path: '([^']+)'.*?component: (.*?),?\s*\},?\n/gs)];
  return new Map(rows.map(([, path = '', component = '']) => [path, digestOf(moduleOf(component, text))]));
}

// A row names its component, which the table imports, or imports its module when it is first shown.
function moduleOf(component: string, text: string): string {
  const later = /import\('([^']+)'\)/.exec(component)?.[1];
  const name = /^\w+/.exec(component)?.[0] ?? '';
  const found = later ?? new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '([^']+)'`).exec(text)?.[1];
  if (found === undefined) throw new Error(`screens.ts: the module of ${component} was not found`);
  return resolve(app, found);
}

function digestOf(module: string): string {
  const hash = createHash('sha256');
  for (const file of [...reached(module)].sort()) hash.update(`${relative(app, file)}\n`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

function reached(module: string, found = new Set<string>()): ReadonlySet<string> {
  if (!module.startsWith(own) || found.has(module)) return found;
  found.add(module);
  for (const [, name = ''] of readFileSync(module, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g))
    reached(resolve(dirname(module), name), found);
  return found;
}
