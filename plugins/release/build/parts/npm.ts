import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Part } from './part.ts';

interface Locked {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: unknown;
}

/** Describes the packages in these folders of a checkout; two copies of one version are one part. */
export function npmParts(root: string, folders: readonly string[]): readonly Part[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Locked;
  const parts = folders.map((folder): Part => {
    const { license, name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
    const locked = packages[folder];
    if (locked?.version !== version)
      throw new Error(`${folder} holds ${version}, package-lock.json names ${locked?.version}`);
    const licence = typeof license === 'string' ? license : '';
    return {
      ...{ name, version, purl: npmPurl(name, version), licence, text: textsIn(join(root, folder)) },
      ...(locked.integrity?.startsWith('sha512-') === true
        ? { sha512: Buffer.from(locked.integrity.slice('sha512-'.length), 'base64').toString('hex') }
        : {}),
    };
  });
  return [...new Map(parts.map((part) => [part.purl, part])).values()];
}

/** Writes the package URL of an npm package (purl specification, type npm). */
export function npmPurl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** Reads the texts of the licence of a package, and its notices. */
export function textsIn(folder: string): string {
  const files = readdirSync(folder).filter((name) => /^(?:licen[cs]e|copying|notice|patents)/i.test(name));
  const texts = files.sort().map((name) => readFileSync(join(folder, name), 'utf8').trim());
  return texts.join('\n\n');
}
