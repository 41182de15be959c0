import { existsSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { printedBy } from '../../../kit/binary/printed-by.ts';

/** The folder whose `go.mod` and `go.sum` pin nfpm with all its modules. */
export const nfpmSources = 'plugins/release/build/linux/nfpm';

/** Answers the path of the program that writes deb and rpm; builds it in dist/tools the first time. */
export function nfpmProgram(root: string): string {
  const cwd = join(root, nfpmSources);
  const digest = createHash('sha256')
    .update(readFileSync(join(cwd, 'go.sum')))
    .digest('hex');
  const program = join(root, 'dist/tools', `nfpm-${digest.slice(0, 16)}`);
  if (existsSync(program)) return program;
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-trimpath -buildvcs=false' };
  const words = ['build', '-o', program, 'github.com/goreleaser/nfpm/v2/cmd/nfpm'];
  printedBy('go', words, { cwd, env });
  return program;
}
