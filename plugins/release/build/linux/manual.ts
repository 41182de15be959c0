import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Makes the manual page orb(1): the checkout prints the same as the executable, which may be of another processor. */
export function manualOf({ epoch, root }: { readonly root: string; readonly epoch: number }): string {
  return execFileSync(process.execPath, [join(root, 'kernel/orb.js'), 'man'], {
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
  });
}
