/**
 * What `STORE=postgres npm test` leaves out: the tests about a store in a file, each with the reason. All others of a
 * platform pass on both engines. Tests without a platform do the same on both, and are run once.
 */

import { relative, resolve } from 'node:path';
import { packageDir } from './folder.ts';
import { reachedBy } from '../runner/imports.ts';

/** Files in which every test is about a store in a file. */
export const filesAboutTheFile: Readonly<Record<string, string>> = {
  'test/backup.test.ts': '`orb backup` copies a file; a database has its own tools, and the command refuses',
  'test/plugins/ledger/commands/restored.test.ts': 'as above: it restores a backup',
  'test/tables.test.ts': 'compares the file that a test begins with to one that a first start makes',
  'test/store-size.full.test.ts': '`orb store size` and `compact` count the pages of a file, and refuse a database',
  'test/store-move.full.test.ts': '`orb store move` begins with a file, and ends in a database on every engine',
  'test/full-disk.full.test.ts':
    'fills the disk of a file; test/cluster/weather/database.soak.test.ts fills the one of a database',
  'test/plugins/models/faults/store-away.full.test.ts': 'as above',
  'test/kernel/store/migrations.full.test.ts': 'opens stores that old programs left in a file',
  'test/released/released.full.test.ts': 'opens a state dir of a release, whose store is a file',
  'test/released/lists.full.test.ts': 'as above',
  'test/checkout.soak.test.ts': 'runs the commands of the README, whose store is a file',
  'test/plugins/observability/store-down.full.test.ts':
    'takes the file from its owner; a database is taken in test/standby.full.test.ts',
};

/** Beginnings of the full titles of other such tests. */
export const titlesAboutTheFile: Readonly<Record<string, string>> = {
  'orb doctor says what each fault is, and what to do': 'damages the file, and takes away the master key beside it',
  'orb doctor finds nothing wrong': 'doctor finds a fault: the database of the tests writes without fsync',
  'orb doctor invents no fault':
    'as above; test/plugins/postgres/examination.full.test.ts has what doctor says of a database',
  'orb doctor names the Orbs that are no tool of MCP': 'as above',
  'the outside of the program keeps its metrics': 'an engine has metrics of its own',
  'the page on PostgreSQL moves the store': '`orb store move` begins with a file',
};

/** The file through which every platform of a test gets its store. */
const engine = 'test/helpers/store-engine.ts';
/** The file that starts servers on a database of their own, whatever the engine of all others is. */
const cluster = 'test/helpers/cluster.ts';

/** Says whether a file of tests has a platform whose store is another one on PostgreSQL. */
export function hasStore(file: string): boolean {
  const path = relative(packageDir, resolve(file));
  const reached = reachedBy(path, 'test/');
  return reached.has(engine) && !reached.has(cluster);
}

/** Says whether PostgreSQL leaves a whole file out. */
export function isLeftOut(file: string): boolean {
  return file in filesAboutTheFile;
}

/** Makes the options by which mocha leaves out the tests of these titles. */
export function leftOutTitles(): readonly string[] {
  const titles = Object.keys(titlesAboutTheFile).map((title) => title.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  return titles.length === 0 ? [] : ['--grep', `/^(?:${titles.join('|')})/`, '--invert'];
}
