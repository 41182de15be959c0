import { gate } from './gate.ts';
import type { Snapshot } from './read.ts';
import type { PolicyFile } from '../shapes.ts';

/** What a folder holds. */
export interface Found {
  readonly files: readonly PolicyFile[];
  /** Paths that are named like a policy file but were refused. */
  readonly strangers: readonly string[];
}

/** Sorts the files of a folder that is being read; a folder that cannot be read holds none. */
export async function foundIn(read: Promise<Snapshot>): Promise<Found> {
  const snapshot = await read.catch(() => ({ files: [], diagnostics: [] }));
  const { files, diagnostics } = gate(snapshot.files);
  const taken = new Set(files.map(({ path }) => path));
  const refused = [...snapshot.diagnostics, ...diagnostics].flatMap(({ file = '' }) => (file === '' ? [] : [file]));
  return { files, strangers: refused.filter((path) => !taken.has(path)) };
}
