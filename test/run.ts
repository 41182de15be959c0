import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// `npm test` runs every test, two files at a time; `npm test -- FILE…` runs just those. Options are handed on to mocha.
const given = process.argv.slice(2);
const isFile = (argument: string): boolean => !argument.startsWith('-') && argument.endsWith('.ts');
const chosen = given.some(isFile) ? given : ['--parallel', '--jobs', '2', ...given, 'test/**/*.test.ts'];
const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));
const { status } = spawnSync(process.execPath, [mocha, ...chosen], { stdio: 'inherit' });
process.exitCode = status ?? 1;
