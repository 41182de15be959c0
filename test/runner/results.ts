import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A test, or a hook, that failed. */
export interface Failure {
  readonly file: string;
  readonly title: string;
  /** With its stack. */
  readonly error: string;
}

/** How the tests of a run ended. */
export interface Results {
  readonly passed: number;
  readonly failures: readonly Failure[];
  /** Titles of the tests that were left out. */
  readonly pending: readonly string[];
}

/** Writes the results of a run to a file. */
export function writeResults(path: string, results: Results): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(results));
}

/** Reads the results of a run; undefined when it ended before it wrote them. */
export function readResults(path: string): Results | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Results;
  } catch {
    return undefined;
  }
}

/** Puts the results of several runs together. */
export function together(all: readonly Results[]): Results {
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failures: all.flatMap(({ failures }) => failures),
    pending: all.flatMap(({ pending }) => pending),
  };
}
