import { createHash } from 'node:crypto';
import { canonical } from '../../../kernel/index.ts';
import type { ReadPaths } from '../contract.ts';
import type { Draft, PolicyFile, PolicyInfo } from '../shapes.ts';

/** The compiled form of a revision, which decides without the compiler. */
export interface Compiled {
  readonly wasm: Uint8Array;
  readonly policies: readonly PolicyInfo[];
  readonly entrypoints: Readonly<Record<string, ReadPaths>>;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An immutable state of the whole folder, named by the digest of its files. */
export interface Revision extends Compiled {
  readonly digest: string;
  readonly files: readonly PolicyFile[];
}

/** Computes `sha256:<hex>` over the paths and contents of files, independent of their order. */
export function revisionDigest(files: readonly PolicyFile[]): string {
  const entries = Object.fromEntries(files.map(({ path, source }) => [path, sha256(source)]));
  return `sha256:${sha256(canonical(entries))}`;
}

/** Computes the SHA-256 of one file's text as hex. */
export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Computes the ETag of a draft from its source and its tests. */
export function etagOf({ source, tests = '' }: Pick<Draft, 'source' | 'tests'>): string {
  return `"${sha256(`${source}\0${tests}`)}"`;
}

/** Returns the id of a policy: its path without `.rego` and with `.` for `/`. */
export function policyIdOf(path: string): string {
  return path.replace(/\.rego$/, '').replaceAll('/', '.');
}

/** Returns the path of a policy: that of the file with this id, else `<id>.rego`. */
export function pathOf(files: readonly PolicyFile[], id: string): string {
  return files.find(({ path }) => path.endsWith('.rego') && policyIdOf(path) === id)?.path ?? `${id}.rego`;
}

/** Returns the path of a policy's tests. */
export function testsPathOf(path: string): string {
  return path.replace(/\.rego$/, '_test.rego');
}

/** Says whether an earlier version compiled a revision and ignored its asks, so that it may not decide. */
export function ignoresAsks({ files, policies }: Pick<Revision, 'files' | 'policies'>): boolean {
  if (policies.some(({ rules }) => rules.includes('ask'))) return false;
  return files.some(
    ({ path, source }) =>
      !isData(path) && !isTest(path) && /^package\s+orb\./m.test(source) && /^ask\s+contains\b/m.test(source),
  );
}

/** Says whether a path holds tests only. */
export function isTest(path: string): boolean {
  return path.endsWith('_test.rego');
}

/** Says whether a path is that of a policy, its tests, or operators' data. */
export function isPolicyFile(path: string): boolean {
  return path.endsWith('.rego') || isData(path);
}

/** Says whether a path holds operators' data. */
export function isData(path: string): boolean {
  return path === 'data.json' || /^data\/[^/]+\.json$/.test(path);
}
