import { readCheckpoint, type Checkpoint } from '../log/pure/checkpoint.ts';
import type { LogRow } from '../log/stored/tables.ts';
import type { Reads } from '../store.ts';
import { parseStrict } from '../verifier/strict-json.ts';
import { isRecord } from '../verifier/trust.ts';

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

interface Link {
  readonly change: unknown;
  readonly checkpoint: Checkpoint;
}

function* linksIn(reads: Reads, log: number): Generator<Link> {
  for (let rows = reads.otherRows(log, 0, page); rows.length > 0;) {
    for (const { kind, statement } of rows) {
      const link = kind === 'key' ? linkOf(parseStrict(statement)) : undefined;
      if (link !== undefined) yield link;
    }
    rows = reads.otherRows(log, (rows.at(-1)?.idx ?? 0) + 1, page);
  }
}

function linkOf(statement: unknown): Link | undefined {
  const predicate = isRecord(statement) ? statement['predicate'] : undefined;
  const facts = isRecord(predicate) ? predicate['facts'] : undefined;
  if (!isRecord(facts) || typeof facts['previous_checkpoint'] !== 'string') return undefined;
  const checkpoint = readCheckpoint(facts['previous_checkpoint'])?.checkpoint;
  return checkpoint === undefined ? undefined : { change: facts['change'], checkpoint };
}
