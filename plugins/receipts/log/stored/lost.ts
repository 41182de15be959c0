import type { LostEntries } from '../../contract.ts';
import type { EntryReads } from '../../read/entry-reads.ts';
import { linkOf } from './link.ts';
import type { LogReads } from './tables.ts';

/** Makes the read of what the store has lost. */
export function lostReads(parts: Pick<LogReads, 'logs'> & Pick<EntryReads, 'otherRows'>) {
  return {
    /** Entries that the first entries of these shards attest, and the store does not hold. */
    lostBefore(origins: readonly string[]): readonly LostEntries[] {
      const logs = parts.logs();
      return logs
        .filter(({ origin }) => origins.includes(origin))
        .flatMap(({ log }): LostEntries[] => {
          const [first] = parts.otherRows(log, 0, 1);
          const link = first?.idx === 0 ? linkOf(first) : undefined;
          if (first === undefined || link === undefined) return [];
          const { origin, size } = link.checkpoint;
          const held = logs.find((row) => row.origin === origin)?.size ?? 0;
          return size > BigInt(held) ? [{ origin, from: held, until: Number(size), receipt_id: first.receipt_id }] : [];
        });
    },
  };
}
