import type { Results } from './results.ts';

const most = 3;

/**
 * Names the files that get a second try: all that failed. None when more than three did, or a failure has no file: that
 * is no accident of a busy machine.
 */
export function filesToTry(runs: readonly Results[]): readonly string[] {
  const files = [...new Set(runs.flatMap(({ failures }) => failures).map(({ file }) => file))];
  return files.length <= most && files.every((file) => file.endsWith('.test.ts')) ? files : [];
}

/** Counts the failures of the files that passed alone as passed. */
export function afterSecondTry({ failures, passed, ...rest }: Results, passing: ReadonlySet<string>): Results {
  const left = failures.filter(({ file }) => !passing.has(file));
  return { ...rest, passed: passed + failures.length - left.length, failures: left };
}
