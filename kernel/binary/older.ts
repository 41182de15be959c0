import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Removes what older executables unpacked below a state dir. `packageDir`: where this program's own files are; outside
 * the state dir, as in a checkout, nothing is touched. Only whoever holds the state dir may do it.
 */
export function removeOlder(stateDir: string, packageDir: string): void {
  const cache = join(stateDir, 'cache');
  if (dirname(packageDir) !== cache) return;
  for (const name of readdirSync(cache))
    if (name.startsWith('orb-') && name !== basename(packageDir))
      rmSync(join(cache, name), { recursive: true, force: true });
}
