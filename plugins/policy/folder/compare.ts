import type { PolicyFile } from '../shapes.ts';

/**
 * How the folder of one of several nodes relates to the active revision. `equal`: it contains that revision. `behind`:
 * it contains the revision that was active when both were last equal. `changed`: it was equal to the active revision,
 * and was changed since. `apart`: it was changed, and another revision became active meanwhile.
 */
export type FolderState = 'equal' | 'behind' | 'changed' | 'apart';

/** What is compared, by digest; `base`: the active revision that the folder was last equal to. */
export interface Compared {
  readonly digest: string;
  readonly active?: string | undefined;
  readonly base?: string | undefined;
}

/** Compares a folder with the active revision. Without an active revision, any folder may make one. */
export function folderState({ digest, active, base }: Compared): FolderState {
  if (digest === active) return 'equal';
  if (active === undefined) return 'changed';
  if (digest === base) return 'behind';
  return base === active ? 'changed' : 'apart';
}

/** Says whether a folder holds only files of two revisions, as after an interrupted write from one to the other. */
export function isBetween(
  found: readonly PolicyFile[],
  from: readonly PolicyFile[],
  to: readonly PolicyFile[],
): boolean {
  const known = [from, to].map((files) => new Map(files.map(({ path, source }) => [path, source])));
  return found.every(({ path, source }) => known.some((files) => files.get(path) === source));
}
