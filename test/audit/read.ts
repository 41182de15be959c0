import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import type { Audited, InstalledPackage, LockedPackage } from './rules.ts';

/** Reads package-lock.json; what is installed is read when asked for. Throws when the lock file cannot be read. */
export function readAudited(): Audited {
  const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> };
  return {
    locked: Object.fromEntries(Object.entries(packages).filter(([path]) => path !== '')),
    installed: (path) => {
      try {
        return read(join(path, 'package.json')) as InstalledPackage;
      } catch {
        return undefined;
      }
    },
  };
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(packageDir, path), 'utf8'));
}
