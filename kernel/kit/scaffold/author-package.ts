import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import { authorPackage } from '../../boot/author-modules.ts';
import { packageDir } from '../../boot/config.ts';

/**
 * Puts the package `agent-orb-kit` of this version where code below `ext/` finds it: its types for an editor, its values
 * for tests that run without a server. Says what it did.
 */
export function placeAuthorPackage(home: string): string {
  const path = join('ext/node_modules', authorPackage);
  // A program that runs from its sources builds it when they have changed; the executable holds it.
  if (!isSea() && spawnSync(process.execPath, [join(packageDir, 'kernel/kit/build.ts')]).status !== 0)
    return `${authorPackage} is not built here: npm run build:kit says why; or npm install the one of a release`;
  rmSync(join(home, path), { recursive: true, force: true });
  cpSync(join(packageDir, 'dist/kit', authorPackage), join(home, path), { recursive: true });
  return `${path}: types, and what tests run with`;
}
