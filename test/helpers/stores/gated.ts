import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';
import { defineStore, type Connection } from '../../../kernel/index.ts';

/** Names the variable with the folder of the gate: once a file `open` is in it, later threads load this module. */
export const gateVariable = 'ORB_TEST_GATE';

const gate = process.env[gateVariable];
if (!isMainThread && gate !== undefined && !isFirst(gate))
  while (!existsSync(join(gate, 'open'))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);

// `mkdir` succeeds for one thread only.
function isFirst(folder: string): boolean {
  try {
    mkdirSync(join(folder, 'first'));
    return true;
  } catch {
    return false;
  }
}

/** A store that only the first thread loads at once. */
export default defineStore({
  name: 'gated',
  migrations: [],
  write: () => ({ operations: {} }),
  read(connection: Connection) {
    const one = connection.prepare('SELECT 1 AS one');
    return {
      /** The thread that reads. */
      thread: () => (one.get() === undefined ? -1 : threadId),
    };
  },
});
