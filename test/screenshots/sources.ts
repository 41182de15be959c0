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
/** The page of the documentation that shows them. */
export const page: string = join(packageDir, 'plugins/docs/pages/operate/console-pictures.md');
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
  return new Map(rows().map((row) => [pathOf(row), digestOf(moduleOf(row))]));
}

/** Writes the page of the documentation that shows the pictures. */
export function picturePage(): string {
  const shown = rows().map((row) => {
    const [path, title] = [pathOf(row), /title: '([^']+)'/.exec(row)?.[1] ?? ''];
    const cells = schemes.map((scheme) => `![${title}, ${scheme}](../../pictures/${nameOf(path)}-${scheme}.webp)`);
    return `| ${title}, \`${path}\` | ${cells.join(' | ')} |\n`;
  });
  return `${head}${shown.join('')}`;
}

const head = `# Pictures of the console

Each screen of the [console](console.md), as \`npm run screenshots\` makes it from the [demonstration](../demo.md). The documentation of
a server has no pictures: they are in the repository.

| Screen | Light | Dark |
| --- | --- | --- |
`;

function rows(): readonly string[] {
  return readFileSync(table, 'utf8')
    .split(/\{\s*path: '/)
    .slice(1);
}

function pathOf(row: string): string {
  return row.slice(0, row.indexOf("'"));
}

// A row names its component, or the module that is loaded for it, and the component there.
function moduleOf(row: string): string {
  const [, loader, later] = /load: of\((\w+), '(\w+)'\)/.exec(row) ?? [];
  const [, component] = /component: (\w+)/.exec(row) ?? [];
  if (loader === undefined && component === undefined) throw new Error(`${pathOf(row)} names no component`);
  if (loader === undefined) return exporter(table, component ?? '');
  const text = readFileSync(table, 'utf8');
  const area = new RegExp(`const ${loader} = .*import\\('([^']+)'\\)`).exec(text)?.[1];
  return exporter(resolve(app, area ?? ''), later ?? '');
}

// Finds the module from which another one takes a name.
function exporter(file: string, name: string): string {
  const from = new RegExp(`\\b${name}\\b[^{}]*\\} from '([^']+)'`).exec(readFileSync(file, 'utf8'))?.[1];
  if (from === undefined) throw new Error(`${relative(app, file)}: the module of ${name} was not found`);
  return resolve(dirname(file), from);
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
