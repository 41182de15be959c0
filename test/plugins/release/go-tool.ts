import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Answers the path of a program written in Go, at a pinned version; builds it in dist/tools the first time. */
export function goTool(root: string, module: string, version: string): string {
  const folder = join(root, 'dist/tools', `${basename(module)}-${version}`);
  const program = join(folder, basename(module));
  if (existsSync(program)) return program;
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOFLAGS: '-trimpath' };
  execFileSync('go', ['install', `${module}@${version}`], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return program;
}
