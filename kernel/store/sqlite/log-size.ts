import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the size of the write-ahead log of the store in a state dir, in bytes; 0 when there is none. */
export function logBytesIn(stateDir: string): number {
  return statSync(join(stateDir, 'store.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
}
