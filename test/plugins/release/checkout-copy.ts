import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../helpers/folder.ts';

/**
 * Copies the files that git knows or would add into an empty folder of the same disk, with a history, what Go built, the
 * runtimes, and what npm installed; they belong to the user, where there is one.
 */
export function copyCheckout(to: string, { gid, uid }: { readonly uid?: number; readonly gid?: number }): void {
  const git = (cwd: string, ...words: readonly string[]): string =>
    execFileSync('git', words, { cwd, encoding: 'utf8' });
  git(packageDir, 'clone', '--quiet', '--shared', '--no-checkout', packageDir, to);
  const files = git(packageDir, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  for (const file of files.filter((one) => one !== '')) cpSync(join(packageDir, file), join(to, file));
  mkdirSync(join(to, 'dist'));
  for (const name of readdirSync(join(packageDir, 'dist')).filter((one) => /^(?:policy-compiler-|runtimes$)/.test(one)))
    cpSync(join(packageDir, 'dist', name), join(to, 'dist', name), { recursive: true });
  chmodSync(to, 0o755);
  if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, to]);
  // Shared by hard links: they keep their user.
  execFileSync('cp', ['-al', join(packageDir, 'node_modules'), to]);
}
