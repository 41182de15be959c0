import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../helpers/folder.ts';

/** Unpacks a Debian that has what every Debian has, and nothing to build programs with; with other packages of it. */
export function unpackDebian(root: string, ...more: readonly string[]): void {
  const archive = join(packageDir, 'dist/tools', `${['debian-root', ...more].join('-')}.tar`);
  mkdirSync(join(packageDir, 'dist/tools'), { recursive: true });
  if (!existsSync(archive)) {
    const words = ['--variant=apt', `--include=${['ca-certificates', ...more].join()}`, '--quiet', 'bookworm'];
    const made = `${archive}.${process.pid}.tar`;
    execFileSync('mmdebstrap', [...words, made], { stdio: ['ignore', 'ignore', 'inherit'] });
    execFileSync('mv', [made, archive]);
  }
  mkdirSync(root);
  chmodSync(root, 0o755);
  execFileSync('tar', ['-xpf', archive, '-C', root, '--same-owner', '--exclude=./dev/*']);
}
