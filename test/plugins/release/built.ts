import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { version } from '../../../kernel/tools/version.ts';
import { packageDir } from '../../helpers/folder.ts';
import { compilerOrSkip } from '../policy/compiler.ts';

/** Where steps leave what later steps need, and where the files of the release are. */
export const built = {
  work: join(packageDir, 'dist/release-work', version),
  folder: join(packageDir, 'dist/release', version),
} as const;

/** Runs steps of a release in this checkout, or leaves the tests out where the executables cannot be built. */
export function build(context: Mocha.Context, ...steps: readonly string[]): void {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.log('      left out: a release is built on linux-x64');
    context.skip();
  }
  // The executables hold the policy compiler, which Go builds.
  compilerOrSkip(context);
  context.timeout(600_000);
  const words = ['plugins/release/build/main.ts', ...steps.flatMap((step) => ['--only', step])];
  execFileSync(process.execPath, words, { cwd: packageDir, stdio: ['ignore', 'ignore', 'inherit'] });
}
