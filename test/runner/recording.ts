import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageDir } from '../helpers/folder.ts';
import { takeCoverage, type Entered } from './coverage.ts';
import { reportFolder } from './report.ts';

/** A function with the files of tests that entered it; `tests`: places in the list of `Recording`. */
export type RecordedFunction = readonly [start: number, end: number, tests: readonly number[]];

/** Which tests enter which functions of the program, as of one state of the checkout. */
export interface Recording {
  /** The commit, or a commit that holds the uncommitted changes. */
  readonly commit: string;
  readonly tests: readonly string[];
  /** By source file. What each start of a platform enters is `startup`, and names no tests. */
  readonly functions: Readonly<Record<string, readonly RecordedFunction[]>>;
  readonly startup: Readonly<Record<string, readonly (readonly [start: number, end: number])[]>>;
}

const path = join(reportFolder, 'coverage.json');
const startFile = 'test/runner/start-up.ts';
const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));

/** Reads the last recording; undefined when there is none. */
export function readRecording(): Recording | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Recording) : undefined;
}

/** Runs each file in a process of its own, some at a time, and keeps which functions it enters. */
export async function record(files: readonly string[], jobs: number, env: NodeJS.ProcessEnv): Promise<void> {
  // Before the first file: what is edited meanwhile is no part of it, and what fails here has cost nothing.
  const commit = stateOfCheckout();
  const startup = await enteredBy(startFile, env);
  const tests: string[] = [];
  const functions = new Map<string, Map<string, [number, number, number[]]>>();
  const add = (test: string, entered: Entered): void => {
    const place = tests.push(test) - 1;
    for (const [file, list] of entered) {
      const usual = new Set((startup.get(file) ?? []).map(({ start, end }) => `${start}-${end}`));
      const known = functions.get(file) ?? new Map<string, [number, number, number[]]>();
      functions.set(file, known);
      for (const { start, end } of list) {
        const key = `${start}-${end}`;
        if (usual.has(key)) continue;
        const one = known.get(key) ?? [start, end, []];
        one[2].push(place);
        known.set(key, one);
      }
    }
  };
  const waiting = [...files];
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      add(file, await enteredBy(file, env));
      if (tests.length % 50 === 0) console.log(`recorded ${tests.length} of ${files.length} files`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  const recording: Recording = {
    commit,
    tests,
    functions: Object.fromEntries([...functions].map(([file, known]) => [file, [...known.values()]])),
    startup: Object.fromEntries([...startup].map(([file, list]) => [file, list.map(({ start, end }) => [start, end])])),
  };
  writeFileSync(path, JSON.stringify(recording));
}

let count = 0;

async function enteredBy(file: string, env: NodeJS.ProcessEnv): Promise<Entered> {
  const folder = join(reportFolder, `coverage-${process.pid}-${(count += 1)}`);
  const child = spawn(process.execPath, ['--min-semi-space-size=16', mocha, '--reporter', 'dot', file], {
    cwd: packageDir,
    stdio: 'ignore',
    env: { ...env, NODE_V8_COVERAGE: folder },
  });
  await once(child, 'exit');
  return takeCoverage(folder);
}

// `git stash create` makes a commit of the changes, and moves nothing. Without changes it answers nothing, or fails where
// a file was written again as it was: `git diff` looks at the texts.
function stateOfCheckout(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...args], { cwd: packageDir, encoding: 'utf8' }).trim();
  return git('diff', '--name-only', 'HEAD') === '' ? git('rev-parse', 'HEAD') : git('stash', 'create');
}
