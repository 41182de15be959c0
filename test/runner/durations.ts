import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { packageDir } from '../helpers/folder.ts';

/** What a file of tests took: a line of the record of a run. */
export interface FileCost {
  /** Path below the checkout. */
  readonly file: string;
  /** From the end of the file before it in the same process, so imports count. */
  readonly wall_ms: number;
  /** Of the process and of those that it started and that have ended. */
  readonly cpu_ms: number;
}

// The record is written by the processes of a run, and read when it has ended.
const record = process.env['SUITE_RECORD'];
const msPerTick = 10;
let before = measured();

/** Root hooks of mocha: in a parallel run they surround each file. */
export const mochaHooks = {
  afterAll(this: Mocha.Context): void {
    if (record === undefined) return;
    const [suite] = this.test?.parent?.suites ?? [];
    const now = measured();
    const cost: FileCost = {
      file: relative(packageDir, suite?.file ?? ''),
      wall_ms: Math.round(now.wall - before.wall),
      cpu_ms: Math.round(now.cpu - before.cpu),
    };
    appendFileSync(record, `${JSON.stringify(cost)}\n`);
    before = now;
  },
};

// proc(5): utime, stime, cutime and cstime are the fields 14 to 17; the name in the second may contain blanks.
function measured(): { readonly wall: number; readonly cpu: number } {
  if (process.platform !== 'linux') return { wall: performance.now(), cpu: process.cpuUsage().user / 1000 };
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { wall: performance.now(), cpu: ticks * msPerTick };
}
