import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../../kernel/tools/version.ts';
import type { TargetName } from '../../../plugins/kit/binary/targets.ts';
import { allTargets } from '../../../plugins/release/build/release.ts';
import { packageDir } from '../../helpers/folder.ts';
import { leaveOutBecause } from '../../helpers/needs.ts';
import { compilerOrSkip } from '../policy/compiler.ts';

/** Where steps leave what later steps need, and where the files of the release are. */
export const built = {
  work: join(packageDir, 'dist/release-work', version),
  folder: join(packageDir, 'dist/release', version),
} as const;

type Targets = readonly TargetName[];

const isWhole = process.env['RELEASE_SOAK'] === '1';
const here: Targets = ['linux-x64'];
// RELEASE_SOAK=1 adds the previews.
const chosen: Targets = isWhole ? allTargets : ['linux-x64', 'linux-arm64'];

// To pack a release as it is takes minutes.
const packing = isWhole ? [] : ['--quick'];
// Of the other processor only the executable is looked at: packages and images have the same files but for it.
const targetsOf = (step: string, wanted: Targets): Targets =>
  !isWhole && ['packages', 'image'].includes(step) ? here : wanted;

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
  buildFor(chosen, context, steps);
}

/** Does the same for linux-x64 alone: a test that starts nothing else need not wait for other systems. */
export function buildHere(context: Mocha.Context, ...steps: readonly string[]): void {
  buildFor(here, context, steps);
}

/** Leaves the tests out where no executable can be built. */
export function needBuilder(context: Mocha.Context): void {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    leaveOutBecause(context, 'executables are built on linux-x64');
  // They hold the policy compiler, which Go builds.
  compilerOrSkip(context);
}

function buildFor(wanted: Targets, context: Mocha.Context, steps: readonly string[]): void {
  needBuilder(context);
  context.timeout(300_000 * (1 + wanted.length));
  mkdirSync(built.work, { recursive: true });
  const all = [...new Set(steps.flatMap((step) => [...(before[step] ?? []), step]))];
  const words = [`${built.work}.lock`, process.execPath, import.meta.filename, wanted.join(), ...all];
  execFileSync('flock', words, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Runs those of the steps that were not run for these sources and systems; the caller holds the lock. */
function runSteps(wanted: Targets, steps: readonly string[]): void {
  const sources = digestOfSources();
  const stampOf = (step: string): string => join(built.work, `built-${step}`);
  const isBuilt = (step: string): boolean => {
    if (!existsSync(stampOf(step))) return false;
    const [digest, ...targets] = readFileSync(stampOf(step), 'utf8').split(' ');
    // What was built for more systems holds the files of these.
    return digest === sources && targetsOf(step, wanted).every((target) => targets.includes(target));
  };
  const missing = steps.filter((step) => !isBuilt(step));
  for (const [targets, some] of Map.groupBy(missing, (step) => targetsOf(step, wanted).join())) {
    const words = ['plugins/release/build/main.ts', ...packing, ...some.flatMap((step) => ['--only', step])];
    words.push(...targets.split(',').flatMap((target) => ['--target', target]));
    execFileSync(process.execPath, words, { cwd: packageDir, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  for (const step of missing) writeFileSync(stampOf(step), [sources, ...targetsOf(step, wanted)].join(' '));
}

function digestOfSources(): string {
  const git = (...words: readonly string[]): Buffer =>
    execFileSync('git', words, { cwd: packageDir, maxBuffer: 100_000_000 });
  const parts = [
    git('rev-parse', 'HEAD'),
    git('diff', 'HEAD'),
    git('status', '--porcelain'),
    Buffer.from(packing.join()),
  ];
  return createHash('sha256').update(Buffer.concat(parts)).digest('hex');
}

if (process.argv[1] === import.meta.filename) {
  const [targets = '', ...steps] = process.argv.slice(2);
  runSteps(targets.split(',') as Targets, steps);
}
