import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasStore, isLeftOut, leftOutTitles } from './helpers/left-out.ts';
import { startPostgres } from './helpers/postgres.ts';
import { concernedBy } from './runner/changed.ts';
import { testFiles, tierOf } from './runner/files.ts';
import { costOf, lanesOf } from './runner/lanes.ts';
import { prepare } from './runner/prepare.ts';
import { record } from './runner/recording.ts';
import { keepCosts, lastCosts, readRecord, reportFolder, reportOf } from './runner/report.ts';
import { readResults, together, writeResults } from './runner/results.ts';

/*
 * `npm test` runs the fast tier, several files at a time.
 *   FILE…                 just these files, with the reporter of mocha
 *   --all                 every file
 *   --rest                the files that `npm test` does not run
 *   --changed[=COMMIT]    the files that uncommitted changes, or those since a commit, concern
 *   --record              keep which functions each file enters, for --changed; with --all, of every file
 *   --nothing-left-out    fail when a test was left out
 * Other options are handed on to mocha. With STORE=postgres (`npm run test:postgres`) the platforms of the tests keep
 * their stores in one PostgreSQL server.
 */
const words = process.argv.slice(2);
const own = /^--(?:all|rest|record|nothing-left-out|changed(?:=.*)?)$/;
const has = (option: string): boolean => words.includes(option);
const since = words.map((word) => /^--changed(?:=(.+))?$/.exec(word)).find((found) => found !== null);
const handedOn = words.filter((word) => !own.test(word));
const isFile = (word: string): boolean => !word.startsWith('-') && word.endsWith('.ts');
const named = handedOn.some(isFile);
const onPostgres = process.env['STORE'] === 'postgres';
// Three more than most machines have processors: many tests wait.
const jobs = Number(process.env['SUITE_JOBS'] ?? 5);

const files = named ? handedOn.filter(isFile) : chosen();
const run = onPostgres ? files.filter((file) => !isLeftOut(file)) : files;
process.exitCode = run.length === 0 ? nothing() : has('--record') ? await recorded() : await ran();

async function ran(): Promise<number> {
  const name = ['rest', 'all', 'changed'].find((one) => words.some((word) => word.startsWith(`--${one}`))) ?? 'fast';
  const log = join(reportFolder, `${name}.jsonl`);
  mkdirSync(reportFolder, { recursive: true });
  const results = join(reportFolder, `${name}.json`);
  // Now: a run that cannot begin leaves no results, and those of the last one are not taken for its own.
  if (!named) for (const old of [log, results]) rmSync(old, { force: true });
  const server = onPostgres ? await startPostgres() : undefined;
  const prepared = named ? undefined : await prepare(run);
  const env = {
    ...process.env,
    ...(prepared === undefined ? {} : { ...prepared.env, SUITE_RECORD: log }),
    ...(server === undefined ? {} : { ORB_TEST_POSTGRES: server.folder }),
  };
  const ended = named ? await mocha(run, env) : await inLanes(results, env);
  await server?.stop();
  await prepared?.remove();
  const status = ended ?? report(log, results);
  return status === 0 || named || !onPostgres ? status : await secondTry(name);
}

/** Runs the files that failed once more, each alone: `.ci/run` does it for its own runs. */
async function secondTry(name: string): Promise<number> {
  const again = fileURLToPath(new URL('./runner/again.ts', import.meta.url));
  const [code] = (await once(spawn(process.execPath, [again, name], { stdio: 'inherit' }), 'exit')) as [number | null];
  return code ?? 1;
}

/** Runs the files in lanes beside each other, and puts their results together. */
async function inLanes(results: string, env: NodeJS.ProcessEnv): Promise<undefined> {
  const reporter = fileURLToPath(new URL('./runner/reporter.ts', import.meta.url));
  const lanes = lanesOf(run, jobs, costOf(lastCosts())).map((lane, at) => ({ ...lane, to: `${results}.${at}` }));
  for (const { to } of lanes) rmSync(to, { force: true });
  const runs = lanes.map(({ files: list, jobs: own, to }) =>
    mocha(list, env, '--parallel', '--jobs', `${own}`, '--reporter', reporter, '--reporter-option', `to=${to}`),
  );
  await Promise.all(runs);
  const found = lanes.map(({ to }) => readResults(to)).filter((one) => one !== undefined);
  if (found.length === lanes.length) writeResults(results, together(found));
  return undefined;
}

async function mocha(list: readonly string[], env: NodeJS.ProcessEnv, ...options: readonly string[]): Promise<number> {
  const args = [
    // Young objects of a platform that starts fill the default many times over: a tenth of its start was collecting garbage.
    '--min-semi-space-size=32',
    // The processes of a run fill all cores: more threads that collect garbage only take turns with each other.
    '--v8-pool-size=1',
    fileURLToPath(import.meta.resolve('mocha/bin/mocha.js')),
    ...options,
    ...handedOn.filter((word) => !isFile(word)),
    ...(onPostgres ? leftOutTitles() : []),
    ...list,
  ];
  const [code] = (await once(spawn(process.execPath, args, { stdio: 'inherit', env }), 'exit')) as [number | null];
  return code ?? 1;
}

async function recorded(): Promise<number> {
  mkdirSync(reportFolder, { recursive: true });
  // Of the checkout: the functions of a bundle have other places.
  await record(run, jobs, process.env);
  console.log(`recorded ${run.length} files`);
  return 0;
}

function nothing(): number {
  if (since !== undefined) console.log('no test is concerned');
  else if (onPostgres) console.log('test/helpers/left-out.ts leaves out all of these files on PostgreSQL');
  return since === undefined ? 1 : 0;
}

function chosen(): readonly string[] {
  if (since !== undefined) {
    const concerned = concernedBy(since[1] ?? 'HEAD');
    for (const { file, why } of concerned) console.log(`${file}: ${why}`);
    return concerned.map(({ file }) => file);
  }
  // A test without a platform does the same with every engine, and so does one with a database of its own.
  if (onPostgres) return testFiles(['fast', 'full', 'soak']).filter(hasStore);
  const all = testFiles();
  if (has('--all')) return all;
  return all.filter((file) => (tierOf(file) === 'full') === has('--rest'));
}

function report(log: string, results: string): number {
  const ended = readResults(results);
  if (ended === undefined) {
    console.log('the run ended before its results were written\n0 passed, 1 failed');
    return 1;
  }
  const found = readRecord(log);
  keepCosts(found.costs);
  console.log(reportOf(ended, found).join('\n'));
  const leftOut = has('--nothing-left-out') ? ended.pending.length : 0;
  return ended.failures.length + leftOut === 0 && ended.passed > 0 ? 0 : 1;
}
