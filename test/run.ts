import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hasStore, isLeftOut, leftOutTitles } from './helpers/left-out.ts';
import { startPostgres } from './helpers/postgres.ts';

// The files that take longest, the longest first: one that starts last would run alone at the end.
const longest = [
  'test/plugins/policy/revisions/changes.test.ts',
  'test/guides/operator.test.ts',
  'test/kernel/kit/guide.test.ts',
  'test/clients/schemathesis.test.ts',
  'test/backup.test.ts',
  'test/kernel/kit/verify.test.ts',
  'test/crash.test.ts',
  'test/soak.test.ts',
  'test/crash-effects.test.ts',
  'test/guides/pages.test.ts',
  'test/plugins/docs/docs.browser.test.ts',
  'test/doctor.test.ts',
  'test/binary.test.ts',
  'test/guides/agent.test.ts',
  'test/guides/auditor.test.ts',
  'test/plugins/receipts/audit/restart.test.ts',
  'test/plugins/observability/outage.test.ts',
  'test/kernel/cli/serve.test.ts',
  'test/fault-matrix-direct.test.ts',
  'test/kernel/kit/copies.test.ts',
  'test/plugins/policy/folder-storm.test.ts',
  'test/plugins/ledger/behind.test.ts',
  'test/plugins/policy/cache.test.ts',
  'test/swap-storm.test.ts',
];

// `npm test` runs every test, two files at a time; `npm test -- FILE…` runs just those. Options are handed on to mocha.
const given = process.argv.slice(2);
const isFile = (argument: string): boolean => !argument.startsWith('-') && argument.endsWith('.ts');
const onPostgres = process.env['STORE'] === 'postgres';
const all = given.some(isFile) ? given : ['--parallel', '--jobs', '2', ...given, ...everyFile()];
const chosen = onPostgres ? [...all.filter((argument) => !isLeftOut(argument)), ...leftOutTitles()] : all;
if (!chosen.some(isFile)) throw new Error('test/helpers/left-out.ts leaves out all of these files on PostgreSQL');
const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));
// Young objects of a platform that starts fill the default many times over: a tenth of its start was collecting garbage.
const args = ['--min-semi-space-size=16', mocha, ...chosen];
// With STORE=postgres (`npm run test:postgres`) the platforms of the tests keep their stores in one PostgreSQL server.
const server = onPostgres ? await startPostgres() : undefined;
const env = { ...process.env, ...(server === undefined ? {} : { ORB_TEST_POSTGRES: server.folder }) };
const [code] = (await once(spawn(process.execPath, args, { stdio: 'inherit', env }), 'exit')) as [number | null];
await server?.stop();
process.exitCode = code ?? 1;

function everyFile(): readonly string[] {
  const found = globSync('test/**/*.test.ts').sort();
  const first = longest.filter((file) => existsSync(file));
  const files = [...first, ...found.filter((file) => !first.includes(file))];
  // A test without a platform does the same with every engine, and so does one with a database of its own.
  return onPostgres ? files.filter(hasStore) : files;
}
