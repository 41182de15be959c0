import type { LogEntry, ProvenEntry, TransparencyLog } from '../../receipts/contract.ts';
import { lineOf, type Line, type Readable } from '../fact/line.ts';
import { pagesOf } from '../follow/pages.ts';
import { vectorOf, type Prefix } from '../fact/prefix.ts';
import { createHash } from 'node:crypto';

const pageSize = 200;

/** What is read of the log. */
type Log = Pick<TransparencyLog, 'entriesAfter' | 'prove'>;

// Each shard in its order.
function entriesOf(log: Log, prefix: Prefix): AsyncGenerator<readonly LogEntry[]> {
  const until = vectorOf(prefix);
  return pagesOf(new Map(), pageSize, (read) => log.entriesAfter(read, pageSize, until));
}

/** Writes the ledger's line of each entry as JSON lines; `wanted` selects entries. */
export async function* factLines(
  log: Log,
  prefix: Prefix,
  wanted: (line: Line) => boolean = () => true,
): AsyncGenerator<string> {
  for await (const page of entriesOf(log, prefix)) {
    const lines = page.map((entry) => ({ entry, line: lineOf(entry) }));
    const chosen = lines.filter(({ line }) => line === undefined || wanted(line));
    const proven = await log.prove(chosen.map(({ entry }) => entry));
    for (const [at, entry] of proven.entries()) yield `${factLine(entry, chosen[at]?.line)}\n`;
  }
}

/** Writes the ledger's line of one entry. */
export function factLine(
  entry: Readable & Pick<ProvenEntry, 'leaf' | 'receipt_id'>,
  line: Line | undefined = lineOf(entry),
): string {
  // An unreadable entry has a line too: a gap would look like an omitted entry.
  const { origin, index, kind: _, ...rest } = line ?? { ...head(entry), unreadable: true };
  return JSON.stringify({ origin, index, leaf_hash: leafHash(entry.leaf), kind: entry.kind, ...rest });
}

/** Writes each entry with its envelope as JSON lines; `leaf` is base64. */
export async function* entryLines(log: Log, prefix: Prefix): AsyncGenerator<string> {
  for await (const page of entriesOf(log, prefix))
    for (const { origin, index, leaf, envelope } of await log.prove(page))
      yield `${JSON.stringify({ origin, index, leaf: Buffer.from(leaf).toString('base64'), envelope })}\n`;
}

function head({ origin, index, kind, receipt_id }: Readable & Pick<LogEntry, 'receipt_id'>) {
  return { origin, index, kind, receipt_id };
}

// RFC 6962 §2.1: a leaf is hashed with a zero byte before it.
function leafHash(leaf: Uint8Array): string {
  return createHash('sha256').update(Uint8Array.of(0)).update(leaf).digest('base64');
}
