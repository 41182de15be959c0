import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { digestOf } from '../../../kernel/index.ts';

const list = 'data/shipped.json';

/** Path of a file → SHA-256, 64 hex digits. */
type Digests = Readonly<Record<string, string>>;

/** Whether files of `data/` and `policies/` that do not ship, or were changed, go into an executable. */
export interface PackedChoice {
  readonly withLocalFiles: boolean;
}

/**
 * Copies what an executable holds of `data/` and `policies/` of a checkout: the files that `data/shipped.json` lists.
 * Throws when there is another file, or a listed one was changed or is missing; `withLocalFiles`: all of them go into the
 * executable, and its list names them.
 */
export function packFiles(checkout: string, to: string, { withLocalFiles }: PackedChoice): void {
  const listed = new Map(Object.entries(JSON.parse(readFileSync(join(checkout, list), 'utf8')) as Digests));
  const found = ['data', 'policies']
    .flatMap((folder) => readdirSync(join(checkout, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(checkout, join(entry.parentPath, entry.name)))
    .filter((file) => file !== list && !file.startsWith('data/state/'))
    .sort();
  if (!withLocalFiles) refuseLocal(checkout, listed, found);
  for (const file of found) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(checkout, file), join(to, file));
  }
  const digests = found.map((file) => [file, digestOf(join(checkout, file))]);
  mkdirSync(join(to, 'data'), { recursive: true });
  writeFileSync(join(to, list), `${JSON.stringify(Object.fromEntries(digests), null, 2)}\n`);
}

function refuseLocal(checkout: string, listed: ReadonlyMap<string, string>, found: readonly string[]): void {
  const added = found.filter((file) => !listed.has(file));
  const missing = [...listed.keys()].filter((file) => !found.includes(file));
  const changed = found.filter((file) => listed.has(file) && digestOf(join(checkout, file)) !== listed.get(file));
  const faults = [
    ...added.map((file) => `${file} does not ship (move it out of the checkout)`),
    ...changed.map((file) => `${file} is not the shipped one (restore it)`),
    ...missing.map((file) => `${file} is missing (restore it)`),
  ];
  if (faults.length === 0) return;
  throw new Error(`${faults.join(', ')}; or build with --with-local-files, which puts the files as they are into it`);
}
