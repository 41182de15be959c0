import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

// A third of the work of the compiler would be to make fast programs. The packages of Go itself are those of other builds.
const hosts = ['github.com', 'k8s.io', 'sigs.k8s.io', 'helm.sh'];
const flags = [...hosts.map((host) => `-gcflags=${host}/...=-N -l -dwarf=false`), '-ldflags=-s -w'];

/** Answers the path of a program written in Go, at a pinned version; builds it in dist/tools the first time. */
export function goTool(root: string, module: string, version: string): string {
  const folder = join(root, 'dist/tools', `${basename(module)}-${version}`);
  const program = join(folder, basename(module));
  if (existsSync(program)) return program;
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOFLAGS: '-trimpath' };
  execFileSync('go', ['install', ...flags, `${module}@${version}`], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return program;
}
