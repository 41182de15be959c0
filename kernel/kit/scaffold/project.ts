import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { authorPackage } from '../../boot/author-modules.ts';

/** What a scaffold makes. */
export interface Project {
  /** Path below the home → text. */
  readonly files: Readonly<Record<string, string>>;
  /** What is to be done next, for a person. */
  readonly next: string;
  /** Members to add to platform.json; absent when nothing is to be added. */
  readonly platform?: object;
}

/** Settings of the compiler for a project in TypeScript: those that the package for authors brings. */
export const compilerSettings: string = `${JSON.stringify({ extends: `${authorPackage}/tsconfig.json` })}\n`;

/** Writes the files below the home and lists their paths. Throws, and writes nothing, when one of them exists. */
export function writeProject(home: string, { files }: Project): readonly string[] {
  const paths = Object.keys(files).map((path) => join(home, path));
  const taken = paths.filter((path) => existsSync(path)).map((path) => relative(home, path));
  if (taken.length > 0) throw new Error(`choose another name: there is already ${taken.join(', ')}`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { flag: 'wx' });
  }
  return Object.keys(files);
}

/** Checks a name that is given to a scaffold; `example` shows what is meant. */
export function checkName(name: string, pattern: RegExp, example: string): void {
  if (!pattern.test(name)) throw new Error(`${JSON.stringify(name)} is no name for it; write it like ${example}`);
}
