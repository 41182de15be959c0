import { statSync } from 'node:fs';
import { join } from 'node:path';

/** The write-ahead log is emptied into the store at 16 MiB; four times as much means that something keeps it from that. */
export const mostLogBytes: number = 64 * 1024 * 1024;

/** Returns the size of the write-ahead log of the store in a state dir, in bytes; 0 when there is none. */
export function logBytesIn(stateDir: string): number {
  return statSync(join(stateDir, 'store.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
}
