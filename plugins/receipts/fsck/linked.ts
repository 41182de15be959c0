import type { Checkpoint } from '../log/pure/note.ts';
import { linkOf, type Link } from '../log/stored/link.ts';
import type { LogRow } from '../log/stored/tables.ts';
import type { EntryRow } from '../log/rows/entry-reads.ts';
import type { Reads } from '../store.ts';

const page = 500;

/**
 * Reads the checkpoints that entries of the logs hold of other logs, by the origin of those: each must still be a prefix
 * of its log. One of a log that a restored backup lost the end of is left out: the entry itself attests that loss.
 */
export function linkedCheckpoints(reads: Reads, logs: readonly LogRow[]): ReadonlyMap<string, readonly Checkpoint[]> {
  const found = new Map<string, Checkpoint[]>();
  for (const { log } of logs)
    for (const { change, checkpoint } of linksIn(reads, log)) {
      const { origin, size } = checkpoint;
      const held = logs.find((row) => row.origin === origin)?.size ?? 0;
      if (change === 'adopted' || size <= BigInt(held)) found.set(origin, [...(found.get(origin) ?? []), checkpoint]);
    }
  return found;
}

function* linksIn(reads: Reads, log: number): Generator<Link> {
  for (const row of othersOf(reads, log)) {
    const link = linkOf(row);
    if (link !== undefined) yield link;
  }
}

/** Reads the entries of a log that are no runs. */
export function* othersOf(reads: Reads, log: number): Generator<EntryRow> {
  for (let rows = reads.otherRows(log, 0, page); rows.length > 0;) {
    yield* rows;
    rows = reads.otherRows(log, (rows.at(-1)?.idx ?? 0) + 1, page);
  }
}
