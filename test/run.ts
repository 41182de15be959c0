import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLeftOut, hasStore, leftOutTitles } from './helpers/left-out.ts';
import { startPostgres } from './helpers/postgres.ts';
import { kindOf, testFiles, tierOf, type Kind } from './runner/files.ts';
import { prepare } from './runner/prepare.ts';
import { keepCosts, lastCosts, readRecord, reportFolder, reportOf } from './runner/report.ts';
import { readResults } from './runner/results.ts';

/*
 * `npm test` runs the fast tier, several files at a time. `--all` runs every file, `--rest` those that `npm test` does
 * not run, `--nothing-left-out` fails when a test was left out. `npm test -- FILE…` runs just these files, with the
 * reporter of mocha. Other options are handed on to mocha.
 */
const ours = new Set(['--all', '--rest', '--nothing-left-out']);
const words = process.argv.slice(2);
const has = (option: string): boolean => words.includes(option);
const options = words.filter((word) => !ours.has(word));
const isFile = (word: string): boolean => !word.startsWith('-') && word.endsWith('.ts');
const onPostgres = process.env['STORE'] === 'postgres';
const named = options.some(isFile);
const files = named ? options.filter(isFile) : ordered(chosen());
const run = onPostgres ? files.filter((file) => !isLeftOut(file)) : files;
if (run.length === 0) throw new Error('test/helpers/left-out.ts leaves out all of these files on PostgreSQL');

const name = has('--rest') ? 'rest' : has('--all') ? 'all' : 'fast';
const [record, results] = ['jsonl', 'json'].map((ending) => join(reportFolder, `${name}.${ending}`)) as [
  string,
  string,
];
const jobs = process.env['ORB_TEST_JOBS'] ?? '3';
const reporter = new URL('./runner/reporter.ts', import.meta.url).pathname;
const whole = ['--parallel', '--jobs', jobs, '--reporter', reporter, '--reporter-option', `to=${results}`];
mkdirSync(reportFolder, { recursive: true });
for (const path of [record, results]) rmSync(path, { force: true });

// With STORE=postgres (`npm run test:postgres`) the platforms of the tests keep their stores in one PostgreSQL server.
const server = onPostgres ? await startPostgres() : undefined;
const prepared = named ? undefined : await prepare(run);
const env = {
  ...process.env,
  ...(prepared === undefined ? {} : { ...prepared.env, ORB_TEST_RECORD: record }),
  ...(server === undefined ? {} : { ORB_TEST_POSTGRES: server.folder }),
};
// Young objects of a platform that starts fill the default many times over: a tenth of its start was collecting garbage.
const args = [
  '--min-semi-space-size=16',
  fileURLToPath(import.meta.resolve('mocha/bin/mocha.js')),
  ...(named ? [] : whole),
  ...options.filter((word) => !isFile(word)),
  ...(onPostgres ? leftOutTitles() : []),
  ...run,
];
const [code] = (await once(spawn(process.execPath, args, { stdio: 'inherit', env }), 'exit')) as [number | null];
await server?.stop();
prepared?.remove();
process.exitCode = named ? (code ?? 1) : report();

function chosen(): readonly string[] {
  const all = testFiles();
  // A test without a platform does the same with every engine, and so does one with a database of its own.
  if (onPostgres) return all.filter(hasStore);
  if (has('--all')) return all;
  return all.filter((file) => (tierOf(file) === 'full') === has('--rest'));
}

// The longest first: one that starts last would run alone at the end. Without a record, by what the files start.
function ordered(list: readonly string[]): readonly string[] {
  const costs = lastCosts();
  const usual: Readonly<Record<Kind, number>> = {
    database: 10e3,
    browser: 9e3,
    process: 8e3,
    platform: 3e3,
    function: 500,
  };
  const cost = (file: string): number => costs.get(file)?.wall_ms ?? usual[kindOf(file)];
  return list
    .map((file) => [file, cost(file)] as const)
    .sort(([, one], [, other]) => other - one)
    .map(([file]) => file);
}

function report(): number {
  const ended = readResults(results);
  if (ended === undefined) {
    console.log('the run ended before its results were written\n0 passed, 1 failed');
    return 1;
  }
  const recorded = readRecord(record);
  keepCosts(recorded.costs);
  console.log(reportOf(ended, recorded).join('\n'));
  const leftOut = has('--nothing-left-out') ? ended.pending.length : 0;
  return ended.failures.length + leftOut === 0 && ended.passed > 0 && code !== null ? 0 : 1;
}
