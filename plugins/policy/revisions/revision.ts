import { createHash } from 'node:crypto';
import { canonical } from '../../../kernel/index.ts';
import type { ReadPaths } from '../contract.ts';
import type { Draft, PolicyFile, PolicyInfo } from '../shapes.ts';

export type { PolicyFile } from '../shapes.ts';

/** What the compiler made of a revision: enough to decide without it. */
export interface Compiled {
  readonly wasm: Uint8Array;
  readonly policies: readonly PolicyInfo[];
  readonly entrypoints: Readonly<Record<string, ReadPaths>>;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A whole folder, immutable, named by the digest of its files. */
export interface Revision extends Compiled {
  readonly digest: string;
  readonly files: readonly PolicyFile[];
}

/** Computes `sha256:<hex>` over the paths and contents of files, whatever their order. */
export function revisionDigest(files: readonly PolicyFile[]): string {
  const entries = Object.fromEntries(files.map(({ path, source }) => [path, sha256(source)]));
  return `sha256:${sha256(canonical(entries))}`;
}

/** Computes the digest of one file's text, hex. */
export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Computes the tag of a draft: of its source and its tests. */
export function etagOf({ source, tests = '' }: Pick<Draft, 'source' | 'tests'>): string {
  return `"${sha256(`${source}\0${tests}`)}"`;
}

/** The id of a policy by its path: without `.rego`, `/` written as `.`. */
export function policyIdOf(path: string): string {
  return path.replace(/\.rego$/, '').replaceAll('/', '.');
}

/** The path of the tests of a policy by its own. */
export function testsPathOf(path: string): string {
  return path.replace(/\.rego$/, '_test.rego');
}

/** Says whether a path holds tests only. */
export function isTest(path: string): boolean {
  return path.endsWith('_test.rego');
}

/** Says whether a path holds operators' data. */
export function isData(path: string): boolean {
  return path === 'data.json' || /^data\/[^/]+\.json$/.test(path);
}
