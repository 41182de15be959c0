import { parseCheckpoint } from '../../../../plugins/receipts/log/pure/checkpoint.ts';
import { hashLeaf } from '../../../../plugins/receipts/log/pure/hashing.ts';
import { parseNote } from '../../../../plugins/receipts/log/pure/note.ts';
import { withOwnLog } from '../../../../plugins/receipts/log/stored/own-log.ts';
import type { Report } from '../../../../plugins/receipts/verifier/report.ts';
import { provedIn } from '../sample.ts';

/** Adds to a report what a server says whose log has this name and holds these entries. */
export function inLog(report: Report, held: readonly Uint8Array[], origin: string): Report {
  const { root = new Uint8Array() } = parseCheckpoint(parseNote(provedIn(held).checkpoint)?.text ?? '') ?? {};
  const row = { log: 1, shard: '0', origin, kid: '', size: held.length, root, status: 'active' } as const;
  return withOwnLog(report, {
    logs: () => [row],
    newestCheckpoint: () => undefined,
    entries: (_, first, count) => held.slice(first, first + count),
    tile: (_, { n, width }) => Buffer.concat(held.slice(n * 256, n * 256 + width).map((one) => hashLeaf(one))),
  });
}
