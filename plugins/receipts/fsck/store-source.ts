import type { LogReads, LogRow } from '../log-tables.ts';
import type { LogSource } from './source.ts';
import { tileWidth } from '../log/tile.ts';

/** Reads a log out of the tables of the store. */
export function storeSource(reads: LogReads, { log }: LogRow): LogSource {
  return {
    checkpoint: async () => reads.newestCheckpoint(log)?.note,
    bundle: async (n, width) => reads.entries(log, n * tileWidth, width),
    tile: async (tile) => reads.tile(log, tile),
  };
}
