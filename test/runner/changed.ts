import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packageDir } from '../helpers/folder.ts';
import { kindOf, testFiles, tierOf } from './files.ts';
import { importsOf } from './imports.ts';
import { readRecording, type Recording } from './recording.ts';

/** A file of tests that a change concerns, and why. */
export interface Concerned {
  readonly file: string;
  readonly why: string;
}

// Each imports all that ships: who imports one of them would be concerned by every change.
const lists = /^kernel\/main\.ts$|^plugins\/(?:builtin|contracts|stores)\.ts$/;
const wholePlugin = /^plugins\/([^/]+)\/index\.ts$/;
const code = /^(?:kernel|plugins|providers)\/.*\.ts$/;
const sharedOfApp = /^(plugins\/[^/]+\/app\/)(?!screens\/)/;
const mostOfUsers = 6;
const nearRoot = /^test\/[^/]+\.test\.ts$/;

/**
 * Lists the tests that changes against a commit concern: the mirrored folder, function tests that import the file, and,
 * with a recording (`npm run test:all -- --record`), all tests that enter the changed functions. Without one: the tests
 * at the root of `test/`, one for each promise.
 */
export function concernedBy(base: string): readonly Concerned[] {
  const found = new Map<string, string>();
  const add = (files: Iterable<string>, why: string): void => {
    for (const file of files) if (!found.has(file)) found.set(file, why);
  };
  const tests = testFiles();
  const recording = readRecording();
  for (const file of changedFiles(base)) {
    if (file.endsWith('.test.ts') && existsSync(join(packageDir, file))) add([file], 'changed');
    else if (file.startsWith('test/')) add(importersOf(file, tests), `imports ${file}`);
    else if (code.test(file)) {
      add(mirrored(file, tests), `mirrors ${dirname(file)}`);
      add(ofUsers(file, tests), `shows what uses ${file}`);
      const importers = importersOf(file, tests).filter(isFunction);
      const promises = tests.filter((test) => nearRoot.test(test) && tierOf(test) === 'fast');
      if (recording === undefined) {
        add(importers, `imports ${file}`);
        add(promises, 'keeps a promise');
      } else {
        const entering = enteringTests(file, recording);
        const recorded = new Set(recording.tests);
        add(
          importers.filter((test) => entering.has(test) || !recorded.has(test)),
          `imports ${file}`,
        );
        add(
          [...entering].filter((test) => tests.includes(test)),
          `enters ${file}`,
        );
        // What every start enters tells no test from another. What no test loads is of the browser: of the others, only
        // those that read texts see it.
        if (entering.size === 0)
          add(
            [...importers, ...(isLoaded(file, recording) ? promises : promises.filter(isFunction))],
            'keeps a promise',
          );
      }
    } else add([...mirrored(file, tests), ...naming(file, tests)], `mirrors or names ${file}`);
  }
  return [...found].map(([file, why]) => ({ file, why }));
}

const isFunction = (test: string): boolean => kindOf(test) === 'function';

const isLoaded = (file: string, { functions, startup }: Recording): boolean => file in functions || file in startup;

function git(...args: readonly string[]): string {
  return execFileSync('git', [...args], { cwd: packageDir, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

function changedFiles(base: string): readonly string[] {
  const lines = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')];
  return [...new Set(lines.join('\n').split('\n'))].filter((line) => line !== '').sort();
}

// `plugins/console/app/screens/runs/list.ts` → `test/plugins/console/screens/runs…`: a folder `app` has no mirror.
function mirrored(file: string, tests: readonly string[], least = 2): readonly string[] {
  const parts = file
    .replace(/\.\w+$/, '')
    .split('/')
    .filter((part) => part !== 'app');
  for (let depth = parts.length; depth >= least; depth--) {
    const path = join('test', ...parts.slice(0, depth));
    const exact = tests.filter((test) => dirname(test) === path || test.startsWith(`${path}.`));
    if (exact.length > 0) return exact;
  }
  return [];
}

// Code of a browser that screens share is seen in the tests of a few of them, the nearest first.
function ofUsers(file: string, tests: readonly string[]): readonly string[] {
  const [, app] = sharedOfApp.exec(file) ?? [];
  if (app === undefined) return [];
  const all = globSync(`${app}**/*.ts`, { cwd: packageDir });
  const users = new Set([file]);
  for (const one of users) for (const other of all) if (importsOf(other).includes(one)) users.add(other);
  const picked = [...users].slice(1).flatMap((user) => mirrored(user, tests, 4));
  return [...new Set(picked)].slice(0, mostOfUsers);
}

function naming(file: string, tests: readonly string[]): readonly string[] {
  const name = basename(file).replace(/\.(?:md|json|sig)$/, '');
  return tests.filter((test) => readFileSync(join(packageDir, test), 'utf8').includes(name));
}

function importersOf(file: string, tests: readonly string[]): readonly string[] {
  return tests.filter((test) => reaches(test, file));
}

function reaches(test: string, file: string): boolean {
  const seen = new Set<string>([test]);
  for (const one of seen) {
    if (one === file) return true;
    if (lists.test(one) || isWholeOfAnother(one, test)) continue;
    for (const imported of importsOf(one)) seen.add(imported);
  }
  return false;
}

// Who starts a plugin beside the own one, as for its facts, is not concerned by each file of it.
function isWholeOfAnother(file: string, test: string): boolean {
  const [, plugin] = wholePlugin.exec(file) ?? [];
  return plugin !== undefined && !test.startsWith(`test/plugins/${plugin}/`);
}

/** Lists the tests that enter what was changed of a file since the recording. */
export function enteringTests(file: string, { commit, tests, functions, startup }: Recording): ReadonlySet<string> {
  const recorded = functions[file] ?? [];
  const usual = (startup[file] ?? []).map(([start, end]) => [start, end, []] as const);
  const all = [...recorded, ...usual].filter(([start]) => start > 0);
  const everyTest = new Set(recorded.flatMap(([, , places]) => places.map((place) => tests[place] ?? '')));
  const touched = changedRanges(file, commit).map(([from, to]) => {
    // The innermost function that holds the change.
    const holding = all.filter(([start, end]) => start <= from && to <= end);
    return holding.sort(([one, oneEnd], [other, otherEnd]) => oneEnd - one - (otherEnd - other))[0];
  });
  // A change outside of all functions, as of a table, concerns whoever uses the file beyond its load.
  if (touched.includes(undefined)) return everyTest;
  return new Set(touched.flatMap((one) => (one?.[2] ?? []).map((place) => tests[place] ?? '')));
}

/** Answers the offsets, in the text of the commit, of what differs now. */
function changedRanges(file: string, commit: string): readonly (readonly [number, number])[] {
  let text: string;
  try {
    text = git('show', `${commit}:${file}`);
  } catch {
    return [];
  }
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const hunks = git('diff', '-U0', commit, '--', file).matchAll(/^@@ -(\d+)(?:,(\d+))? /gm);
  return [...hunks].map(([, line = '1', lines = '1']) => {
    // Of lines that were only added, the place between two lines.
    const first = Number(line) - (lines === '0' ? 0 : 1);
    const from = starts[first] ?? text.length;
    const to = lines === '0' ? from : (starts[first + Number(lines)] ?? text.length) - 1;
    const indent = /^\s*/.exec(text.slice(from))?.[0].length ?? 0;
    return lines === '0' ? ([from, to] as const) : ([Math.min(from + indent, to), to] as const);
  });
}
