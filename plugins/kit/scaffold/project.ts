import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ConfigError, program } from '../../../kernel/index.ts';

/** Name of the package for authors. */
export const authorPackage = 'agent-orb-kit';

const ownFolder = fileURLToPath(new URL('..', import.meta.url));

/** The result of a scaffold. */
export interface Project {
  /** Path below the home → text. */
  readonly files: Readonly<Record<string, string>>;
  /** The next steps, for a person. */
  readonly next: string;
  /** Members to add to platform.json; absent when there are none. */
  readonly platform?: object;
}

/** Compiler settings for a project in TypeScript: they extend those in the package for authors. */
export const compilerSettings: string = `${JSON.stringify({ extends: `${authorPackage}/tsconfig.json` })}\n`;

/** Writes the files below the home and lists their paths. Throws, and writes nothing, when one of them exists. */
export function writeProject(home: string, { files }: Project): readonly string[] {
  const paths = Object.keys(files).map((path) => join(home, path));
  const taken = paths.filter((path) => existsSync(path)).map((path) => relative(home, path));
  if (taken.length > 0) throw new Error(`choose another name: ${taken.join(', ')} already exists`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { flag: 'wx' });
  }
  return Object.keys(files);
}

/** Checks a name that is given to a scaffold; `example` shows what is meant. */
export function checkName(name: string, pattern: RegExp, example: string): void {
  if (!pattern.test(name)) throw new Error(`${JSON.stringify(name)} is not a valid name; write it like ${example}`);
}

/** Reads an example below `plugins/kit/examples` and replaces words of the example by others. */
export function example(path: string, words: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(join(ownFolder, 'examples', path), 'utf8');
  const used = Object.keys(words).map((word) => word.replace(/[[\]().*+?^${}|\\]/g, '\\$&'));
  return used.length === 0 ? text : text.replace(new RegExp(used.join('|'), 'g'), (word) => words[word] ?? word);
}

/**
 * Puts the package `agent-orb-kit` of this version where code below `ext/` finds it: its types for an editor, its
 * values for tests that run without a server. Returns a line that says what it did.
 */
export function placeAuthorPackage(home: string): string {
  const path = join('ext/node_modules', authorPackage);
  // A program that runs from its sources builds the package when they have changed; all others contain it.
  const build = join(ownFolder, 'build.ts');
  if (existsSync(build) && spawnSync(process.execPath, [build]).status !== 0)
    return `${authorPackage} is not built here: run npm run build:kit, or install the package of a release with npm`;
  rmSync(join(home, path), { recursive: true, force: true });
  cpSync(join(ownFolder, '../../dist/kit', authorPackage), join(home, path), { recursive: true });
  return `${path}: types, and what tests run with`;
}

/**
 * Reads shipped files of a folder of the package, by their path such as `policies/x.rego`; without names all of them.
 * Throws ConfigError when one of them is not the shipped one.
 */
export function shippedTexts(
  folder: 'data' | 'policies',
  names: readonly string[] = [...program.shipped(folder).keys()],
): Readonly<Record<string, string>> {
  const wrong = program.faultsOf(folder, names);
  if (wrong.length > 0) throw new ConfigError(wrong);
  return Object.fromEntries(
    names.map((name) => [`${folder}/${name}`, readFileSync(join(program.path, folder, name), 'utf8')]),
  );
}
