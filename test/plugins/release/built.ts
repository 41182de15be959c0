import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../../kernel/tools/version.ts';
import { packageDir } from '../../helpers/folder.ts';
import { compilerOrSkip } from '../policy/compiler.ts';

/** Where steps leave what later steps need, and where the files of the release are. */
export const built = {
  work: join(packageDir, 'dist/release-work', version),
  folder: join(packageDir, 'dist/release', version),
} as const;

const isWhole = process.env['RELEASE_SOAK'] === '1';

/** The systems whose executables are built: `RELEASE_SOAK=1` adds the previews. */
const chosen = isWhole ? ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win-x64'] : ['linux-x64', 'linux-arm64'];

// To pack a release as it is takes minutes.
const packing = isWhole ? [] : ['--quick'];

// Those of the other processor have the same files but for the executable, and nothing here installs them.
const targetsOf = (step: string): readonly string[] =>
  !isWhole && ['packages', 'image'].includes(step) ? ['linux-x64'] : chosen;

/** The steps whose files a step takes, besides the executables. */
const before: Readonly<Record<string, readonly string[]>> = {
  archives: ['notice'],
  image: ['sbom', 'notice'],
  packages: ['notice'],
};

/**
 * Runs steps of a release in this checkout, or leaves the tests out where the executables cannot be built. Tests that run
 * at the same time build one after the other; what was built from the same sources is taken.
 */
export function build(context: Mocha.Context, ...steps: readonly string[]): void {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.log('      left out: a release is built on linux-x64');
    context.skip();
  }
  // The executables hold the policy compiler, which Go builds.
  compilerOrSkip(context);
  context.timeout(600_000);
  mkdirSync(built.work, { recursive: true });
  const all = [...new Set(steps.flatMap((step) => [...(before[step] ?? []), step]))];
  const words = [`${built.work}.lock`, process.execPath, import.meta.filename, ...all];
  execFileSync('flock', words, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Runs those of the steps that were not run for these sources; the caller holds the lock. */
function runSteps(steps: readonly string[]): void {
  const sources = digestOfSources();
  const stampOf = (step: string): string => join(built.work, `built-${step}`);
  const isBuilt = (step: string): boolean =>
    existsSync(stampOf(step)) && readFileSync(stampOf(step), 'utf8') === sources;
  const missing = steps.filter((step) => !isBuilt(step));
  for (const [targets, some] of Map.groupBy(missing, (step) => targetsOf(step).join())) {
    const words = ['plugins/release/build/main.ts', ...packing, ...some.flatMap((step) => ['--only', step])];
    words.push(...targets.split(',').flatMap((target) => ['--target', target]));
    execFileSync(process.execPath, words, { cwd: packageDir, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  for (const step of missing) writeFileSync(stampOf(step), sources);
}

function digestOfSources(): string {
  const git = (...words: readonly string[]): Buffer =>
    execFileSync('git', words, { cwd: packageDir, maxBuffer: 100_000_000 });
  const parts = [
    git('rev-parse', 'HEAD'),
    git('diff', 'HEAD'),
    git('status', '--porcelain'),
    Buffer.from([...chosen, ...packing].join()),
  ];
  return createHash('sha256').update(Buffer.concat(parts)).digest('hex');
}

if (process.argv[1] === import.meta.filename) runSteps(process.argv.slice(2));
