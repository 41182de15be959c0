import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from '../../../../kernel/index.ts';
import { readIfThere } from './checkpoint-file.ts';

/**
 * Name of the file in a state dir that marks a store restored from a backup. The next start opens a new shard of the
 * log, so that no index is given a second time, and removes the file. The restore creates it, empty.
 */
export const restoredFile = 'restored';

/**
 * Reads the mark of a restored store: eight random hex digits for this restore, made at the first read. Undefined when
 * there is no mark. After an interrupted start the digits are the same; other content of the file is not used, so a
 * mark copied with its state dir does not create two shards with one name.
 */
export function claimRestored(stateDir: string): string | undefined {
  const path = join(stateDir, restoredFile);
  const content = readIfThere(path);
  if (content === undefined) return undefined;
  const claimed = /^shard ([0-9a-f]{8})\n$/.exec(content)?.[1];
  if (claimed !== undefined) return claimed;
  const suffix = randomBytes(4).toString('hex');
  replaceFileSync(path, `shard ${suffix}\n`);
  return suffix;
}

/** Marks the store as older than the signed state in the state dir. */
export function markRestored(stateDir: string): void {
  if (claimRestored(stateDir) === undefined) replaceFileSync(join(stateDir, restoredFile), '');
}

/** Removes the mark after the new shard was created. */
export function settleRestored(stateDir: string): void {
  rmSync(join(stateDir, restoredFile), { force: true });
}
