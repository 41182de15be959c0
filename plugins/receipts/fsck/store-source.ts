import { tileWidth } from '../log/pure/tile.ts';
import type { LogReads, LogRow } from '../log/stored/tables.ts';
import type { Reads } from '../store.ts';
import type { Trust } from '../verifier/trust.ts';
import { linkedCheckpoints } from './linked.ts';
import { missingLogs, type Expected, type LogReport } from './logs.ts';
import { checkRows } from './rows.ts';
import type { LogSource } from './source.ts';
import { checkTree, type Known } from './tree.ts';

/**
 * Checks all logs of a store: each from its entries up, and every receipt; and against the checkpoints of it that entries
 * of other logs hold.
 */
export async function checkStore(reads: Reads, trust: Trust, known: Known, expected: Expected): Promise<LogReport[]> {
  const logs = reads.logs();
  const linked = linkedCheckpoints(reads, logs);
  const seen = (origin: string) => [...known.seen(origin), ...(linked.get(origin) ?? [])];
  const reports: LogReport[] = [];
  for (const row of logs) {
    const { origin } = row;
    const tree = await checkTree(storeSource(reads, row), { ...known, seen });
    const rows = { reads, log: row.log, size: Number(tree.checkpoint?.size ?? 0n) };
    const { flaws, revoked } = await checkRows(rows, trust, known.progress(`${origin}, receipts`));
    reports.push({ origin, ...tree, flaws: [...tree.flaws, ...flaws], revoked });
  }
  const found = logs.map(({ origin }) => origin);
  const remembered = [...expected.remembered, ...linked.keys()];
  return [...reports, ...missingLogs(found, { ...expected, remembered })];
}

/** Reads a log out of the tables of the store. */
export function storeSource(reads: LogReads, { log }: LogRow): LogSource {
  return {
    checkpoint: async () => reads.newestCheckpoint(log)?.note,
    bundle: async (n, width) => reads.entries(log, n * tileWidth, width),
    tile: async (tile) => reads.tile(log, tile),
  };
}
