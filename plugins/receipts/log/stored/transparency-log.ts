import { whenKnown, type AwaitableReads } from '../../../../kernel/index.ts';
import type { TransparencyLog } from '../../contract.ts';
import type { EntryReads } from '../rows/entry-reads.ts';
import type { FollowedReads } from './followed.ts';

type LogReads = AwaitableReads<FollowedReads & Pick<EntryReads, 'positionsOf'>>;

/** Makes the service with which other plugins read the log. */
export function createTransparencyLog(
  reads: LogReads,
  verifies: TransparencyLog['verifies'],
  onAppend: TransparencyLog['onAppend'],
): TransparencyLog {
  return Object.freeze({
    heads: () => reads.logHeads(),
    entriesAfter: (read, limit, until) => reads.logEntries({ read, limit, until }),
    othersAfter: (read, limit, until) => reads.otherLogEntries({ read, limit, until }),
    entryAt: (position) => reads.logEntry(position),
    prove: (entries) =>
      whenKnown(reads.logProofs(entries.map(({ index, origin }) => ({ origin, index }))), (proofs) =>
        entries.flatMap((entry, at) => {
          const proof = proofs[at];
          return proof === undefined ? [] : [{ ...entry, ...proof }];
        }),
      ),
    lostBefore: (origins) => reads.lostBefore(origins),
    verifies,
    position: (receiptId) => whenKnown(reads.positionsOf([receiptId]), (places) => places.get(receiptId)),
    positions: (receiptIds) => reads.positionsOf(receiptIds),
    onAppend,
  } satisfies TransparencyLog);
}
