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
  const { entriesAfter, entryAt, entryProofs, heads, lostBefore, othersAfter, positionsOf: positions } = reads;
  return Object.freeze({
    ...{ heads, entriesAfter, othersAfter, entryAt, lostBefore, positions, verifies, onAppend },
    prove: (entries) =>
      whenKnown(entryProofs(entries.map(({ index, origin }) => ({ origin, index }))), (proofs) =>
        entries.flatMap((entry, at) => {
          const proof = proofs[at];
          return proof === undefined ? [] : [{ ...entry, ...proof }];
        }),
      ),
    position: (receiptId) => whenKnown(positions([receiptId]), (places) => places.get(receiptId)),
  } satisfies TransparencyLog);
}
