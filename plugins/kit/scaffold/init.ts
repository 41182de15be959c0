import { existsSync, lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineCommand } from '../../../kernel/index.ts';
import { shippedTexts } from './project.ts';

const orbsReadme = `# Orbs

Manifests of your own Orbs: one file \`<orb_id>.json\` each. \`orb new orb weather.today\` makes one with its test. The Orbs that ship
with the program need no file here; a file of the same name replaces the shipped one.
`;

/** `orb init`: makes the home of a server, with files that a person reads and changes. */
export const init = defineCommand({
  path: 'init',
  summary: 'create the home of a server: settings with comments, policies, a folder for Orbs',
  args: [
    { name: 'folder', description: 'a new or empty folder; default: ORB_HOME, or the current folder', optional: true },
  ],
  async run({ args: [folder], installation, print }) {
    const home = folder === undefined ? installation.home : resolve(folder);
    const files = homeFiles();
    refuseUsed(home, Object.keys(files));
    writeHome(home, files);
    const next = home === process.cwd() ? 'orb serve' : `orb serve --home ${shellWord(relative(process.cwd(), home))}`;
    print({ home, files: Object.keys(files), next }, [...Object.keys(files), '', 'Next:', next].join('\n'));
  },
});

// The files of a new home by their path below it: settings with comments, the shipped policies, a place for Orbs.
function homeFiles(): Readonly<Record<string, string>> {
  const policies = shippedTexts('policies');
  const [settings = ''] = Object.values(shippedTexts('data', ['platform.example.json']));
  return {
    '.gitignore': 'data/state/\n',
    'data/platform.json': settings,
    'data/orbs/README.md': orbsReadme,
    ...policies,
  };
}

/** Writes the files of a home by their paths below it. When one cannot be written, none stays. */
export function writeHome(home: string, files: Readonly<Record<string, string>>): void {
  const made: string[] = [];
  try {
    for (const [path, text] of Object.entries(files)) {
      const file = join(home, path);
      // The first folder that is new has all others in it.
      const top = mkdirSync(dirname(file), { recursive: true });
      made.push(...(top === undefined ? [] : [top]));
      writeFileSync(file, text, { flag: 'wx' });
      made.push(file);
    }
  } catch (error) {
    for (const path of made) rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

// Policies count as a whole: a shipped one next to those of an operator could allow what they do not.
function refuseUsed(home: string, paths: readonly string[]): void {
  const names = new Set(paths.map((path) => (path.startsWith('policies/') ? 'policies' : path)));
  const inTheWay = [home, ...paths.map((path) => dirname(join(home, path)))].flatMap(above).find(isNoFolder);
  if (inTheWay !== undefined) throw new Error(`${inTheWay} is not a folder; name a new or empty folder`);
  const folders = [...new Set(paths.map((path) => dirname(path)))].filter((name) => isDangling(join(home, name)));
  const taken = [...new Set([...folders, ...[...names].filter((name) => isThere(join(home, name)))])];
  if (taken.length > 0) throw new Error(`${home} already contains ${taken.join(', ')}; name a new or empty folder`);
}

function above(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...above(parent), path];
}

function isNoFolder(path: string): boolean {
  return existsSync(path) && !statSync(path).isDirectory();
}

// A dangling link counts: no file can be created in its place.
function isThere(path: string): boolean {
  return existsSync(path) || isDangling(path);
}

function isDangling(path: string): boolean {
  return !existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function shellWord(path: string): string {
  return /^[\w./@%+,:=-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
