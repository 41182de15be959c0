import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../helpers/folder.ts';

/** Unpacks a Debian that has what every Debian has, systemd too, and nothing to build programs with. */
export function unpackDebian(root: string): void {
  const archive = join(packageDir, 'dist/tools/debian-root-systemd.tar');
  mkdirSync(join(packageDir, 'dist/tools'), { recursive: true });
  if (!existsSync(archive)) {
    const words = ['--variant=apt', '--include=ca-certificates,systemd', '--quiet', 'bookworm'];
    const made = `${archive}.${process.pid}.tar`;
    execFileSync('mmdebstrap', [...words, made], { stdio: ['ignore', 'ignore', 'inherit'] });
    execFileSync('mv', [made, archive]);
  }
  mkdirSync(root);
  chmodSync(root, 0o755);
  execFileSync('tar', ['-xpf', archive, '-C', root, '--same-owner', '--exclude=./dev/*']);
}
