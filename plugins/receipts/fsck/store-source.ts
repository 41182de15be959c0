import type { Connection } from '../../../kernel/index.ts';
import { readCheckpoint } from '../log/pure/note.ts';
import { equalBytes, tileWidth } from '../log/pure/tree.ts';
import type { LogReads, LogRow } from '../log/stored/tables.ts';
import type { Reads } from '../store.ts';
import { checkKeys } from './keys.ts';
import { linkedCheckpoints } from './linked.ts';
import { missingLogs, type Comparison, type LogReport } from './logs.ts';
import { checkRows } from './rows.ts';
import type { LogSource } from './source.ts';
import { checkTree, flawAt, type Flaw } from './tree.ts';

/**
 * Checks all logs of a store: each from its entries up, and every receipt; and against the checkpoints of it that entries
 * of other logs hold. What a start demands of the store is checked too: the heads of its logs, and its signing keys.
 */
export async function checkStore(
  connection: Pick<Connection, 'prepare'>,
  reads: Reads,
  { expected, trust, ...known }: Comparison,
): Promise<LogReport[]> {
  const logs = reads.logs();
  const linked = linkedCheckpoints(reads, logs);
  const seen = (origin: string) => [...known.seen(origin), ...(linked.get(origin) ?? [])];
  const reports: LogReport[] = [];
  for (const row of logs) {
    const { origin } = row;
    const tree = await checkTree(storeSource(reads, row), { ...known, seen });
    const rows = { log: row.log, size: Number(tree.checkpoint?.size ?? 0n) };
    const { flaws, revoked } = await checkRows(reads, rows, trust, known.progress(`${origin}, receipts`));
    reports.push({ origin, ...tree, flaws: [...tree.flaws, ...headFlaws(reads, row), ...flaws], revoked });
  }
  const found = logs.map(({ origin }) => origin);
  const remembered = [...expected.remembered, ...linked.keys()];
  const flaws = checkKeys(connection, reads, logs, trust);
  const missing = missingLogs(found, { ...expected, remembered });
  return [...reports, ...missing, ...(flaws.length === 0 ? [] : [{ flaws }])];
}

// As `guardStore` at a start; what the tree shows of the entries and the checkpoint is not repeated.
function headFlaws(reads: Reads, { log, origin, root, size }: LogRow): Flaw[] {
  const newest = reads.newestCheckpoint(log);
  const checkpoint = readCheckpoint(newest?.note)?.checkpoint;
  if (newest === undefined || checkpoint === undefined) return [];
  const flaws: Flaw[] = [];
  if (checkpoint.origin !== origin) flaws.push(flawAt('checkpoint', `belongs to the log ${checkpoint.origin}`));
  if (checkpoint.size !== BigInt(newest.size))
    flaws.push(flawAt('checkpoint', `is stored with the size ${newest.size}, which differs from its own size`));
  if (checkpoint.size !== BigInt(size) || !equalBytes(checkpoint.root, root))
    flaws.push(flawAt('head', `the row of ${origin} has a size or root that differs from its newest checkpoint`));
  if (reads.entries(log, Number(checkpoint.size), 1).length > 0)
    flaws.push(flawAt(`entry ${checkpoint.size}`, 'comes after the newest checkpoint'));
  return flaws;
}

/** Reads a log out of the tables of the store. */
export function storeSource(reads: LogReads, { log }: LogRow): LogSource {
  return {
    checkpoint: async () => reads.newestCheckpoint(log)?.note,
    bundle: async (n, width) => reads.entries(log, n * tileWidth, width),
    tile: async (tile) => reads.tile(log, tile),
  };
}
