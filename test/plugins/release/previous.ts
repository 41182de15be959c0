import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../helpers/folder.ts';
import { oldVersion } from './old-state.ts';

// The commit whose code made the state dir of the release that the tests keep.
const commit = '823ec133935a10aea649da0bf49b104e81511017';

/** Answers the path of the executable of the old release, which is built from its commit once; leaves out without it. */
export function previousExecutable(context: Mocha.Context): string {
  const folder = join(packageDir, 'dist/previous');
  const file = join(folder, `orb-${oldVersion}`);
  if (existsSync(file)) return file;
  if (!hasCommit()) {
    console.log(`      left out: the history of this checkout does not reach to ${oldVersion}`);
    context.skip();
  }
  context.timeout(1_800_000);
  mkdirSync(folder, { recursive: true });
  const tree = mkdtempSync(join(folder, '.tree-'));
  const run = (program: string, ...words: readonly string[]): void =>
    void execFileSync(program, words, { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    // Not a worktree of git: that one would be listed in the repository while it is there.
    run('sh', '-c', `git -C '${packageDir}' archive ${commit} | tar -x`);
    run('npm', 'ci', '--no-audit', '--no-fund');
    run(join(tree, 'node_modules/.bin/node'), 'kernel/binary/build.ts');
    renameSync(join(tree, 'dist/orb'), file);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
  return file;
}

function hasCommit(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: packageDir, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
