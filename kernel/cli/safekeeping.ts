import { backup, fsck } from './backup.ts';
import type { Command } from './command.ts';
import { restore } from './restore.ts';

/** Makes `orb backup` and `orb restore`, if some plugin contributes the check of a log that both need. */
export function safekeeping(contributed: readonly Command[]): readonly Command[] {
  const check = contributed.find(({ path }) => path === fsck);
  return check === undefined ? [] : [backup(check), restore(check)];
}
