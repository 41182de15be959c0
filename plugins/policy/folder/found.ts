import type { PolicyFile } from '../revisions/revision.ts';
import { gate } from './gate.ts';
import { readFolder } from './read.ts';

/** What a folder holds. */
export interface Found {
  readonly files: readonly PolicyFile[];
  /** Paths that are named like a policy file but were refused. */
  readonly strangers: readonly string[];
}

/** Reads the policy files of a folder; one that cannot be read holds none. */
export async function foundIn(folder: string): Promise<Found> {
  const snapshot = await readFolder(folder).catch(() => ({ files: [], diagnostics: [] }));
  const { files, diagnostics } = gate(snapshot.files);
  const taken = new Set(files.map(({ path }) => path));
  const refused = [...snapshot.diagnostics, ...diagnostics].flatMap(({ file = '' }) => (file === '' ? [] : [file]));
  return { files, strangers: refused.filter((path) => !taken.has(path)) };
}
