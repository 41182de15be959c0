import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { image } from '../../../plugins/release/build/image.ts';
import { executablePath, releaseOf } from '../../../plugins/release/build/release.ts';
import { packageDir } from '../../helpers/folder.ts';
import { leaveOutBecause } from '../../helpers/needs.ts';
import { oldVersion } from './old-state.ts';

// The commit whose code made the state dir of the release that the tests keep.
const commit = '823ec133935a10aea649da0bf49b104e81511017';

/** Answers the path of the executable of the old release, which is built from its commit once; leaves out without it. */
export function previousExecutable(context: Mocha.Context): string {
  const folder = join(packageDir, 'dist/previous');
  const file = join(folder, `orb-${oldVersion}`);
  if (existsSync(file)) return file;
  if (!hasCommit()) leaveOutBecause(context, `the history of this checkout does not reach to ${oldVersion}`);
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

/** Writes an image of the old release into a folder: that release had none, so its executable is in one as of this release. */
export async function writePreviousImage(context: Mocha.Context, folder: string): Promise<void> {
  const release = { ...releaseOf(packageDir, { targets: ['linux-x64'] }), version: oldVersion };
  const made = { ...release, folder, work: join(folder, 'work') };
  const program = executablePath(made, 'linux-x64');
  mkdirSync(dirname(program), { recursive: true });
  copyFileSync(previousExecutable(context), program);
  for (const document of ['NOTICE', `orb-${oldVersion}-linux-x64.cdx.json`]) writeFileSync(join(folder, document), '');
  await image(made);
}

function hasCommit(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: packageDir, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
