import { PlatformError } from '../../../../kernel/index.ts';
import type { LogEntry, LogHead, LogVector, LostEntries, Position, ProvenEntry } from '../../contract.ts';
import { encodeBase64 } from '../../format/base64.ts';
import { envelopeOf } from '../../format/dsse.ts';
import type { EntryReads, EntryRow } from '../rows/entry-reads.ts';
import { readCheckpoint } from '../pure/note.ts';
import { linkOf } from './link.ts';
import { mergeShards, type Part } from './merge.ts';
import type { LogReads, LogRow } from './tables.ts';

/** What a follower of the log asks for: what it has read of each shard, how much it takes, and up to where. */
type Following = readonly [read: LogVector, limit: number, until?: LogVector];

type Parts = LogReads & EntryReads;

/** The reads of followers. */
export type FollowedReads = ReturnType<typeof followedReads>;

/** Makes the reads by which other plugins follow the log: one for each page, wherever the engine is. */
export function followedReads(parts: Parts) {
  return {
    /** The signed heads of all shards, oldest first. */
    heads: () =>
      parts.logs().flatMap(({ log, origin }): LogHead[] => {
        const newest = parts.newestCheckpoint(log);
        const checkpoint = readCheckpoint(newest?.note)?.checkpoint;
        if (newest === undefined || checkpoint === undefined) return [];
        const { note, size: tree_size } = newest;
        return [{ origin, tree_size, root_hash: encodeBase64(checkpoint.root), checkpoint: note }];
      }),
    /** The entries that are not read yet, in the order of `mergeShards`. */
    entriesAfter: (...following: Following): readonly LogEntry[] => entriesAfter(following, parts),
    /** The entries other than runs. */
    othersAfter(...following: Following): readonly LogEntry[] {
      const rows = mergeShards(partsAfter(following, parts), mostOf(following), ({ log }, first, most) =>
        parts.otherRows(log, first, most),
      );
      return Array.from(rows, ({ row, shard }) => entryOf(row, shard));
    },
    /** The entry at a position, proven; undefined: there is none. */
    entryAt: (position: Position): ProvenEntry | undefined => entryAt(position, parts),
    /** What proves entries, in their order. */
    entryProofs(positions: readonly Position[]): readonly EntryProof[] {
      const logs = new Map(parts.logs().map(({ log, origin }) => [origin, log]));
      return positions.map((position) => proofAt(position, logs.get(position.origin) ?? 0, parts));
    },
    /** Entries that the first entries of these shards attest, and the store does not hold. */
    lostBefore: (origins: readonly string[]) => lostBefore(origins, parts),
  };
}

function lostBefore(origins: readonly string[], parts: Parts): LostEntries[] {
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
}

const mostEntries = 1000;

// The unread part of each shard. Shards that were read to their end have none.
function partsAfter([read, , until]: Following, reads: Parts): readonly Part[] {
  const logs = reads.logs();
  for (const origin of read.keys())
    if (!logs.some((log) => log.origin === origin)) throw defect(`there is no log ${origin}`);
  const parts = logs.flatMap((shard): Part[] => {
    const { origin, size } = shard;
    const next = read.get(origin) ?? 0;
    // The reader is ahead of the log: it has read entries that no longer exist, so it must not continue.
    if (next > size)
      throw defect(`the log ${origin} has ${size} entries, but an entry at ${next - 1} was already read`);
    // What the log does not hold yet is committed with the rest of its batch.
    const end = until === undefined ? size : Math.min(size, until.get(origin) ?? 0);
    return next < end ? [{ shard, next, end }] : [];
  });
  if (parts.length < 2) return parts;
  const follows = new Map(reads.owners().map((owner) => [owner.log, owner.follows]));
  return parts.map((part) => ({ ...part, follows: follows.get(part.shard.log) ?? undefined }));
}

function mostOf([, limit]: Following): number {
  return Math.min(Math.max(0, Math.floor(limit)), mostEntries);
}

function entriesAfter(following: Following, reads: Parts): LogEntry[] {
  const found: LogEntry[] = [];
  const most = mostOf(following);
  const parts = partsAfter(following, reads);
  const next = new Map(parts.map((part) => [part.shard.origin, part.next]));
  for (const { row, shard } of mergeShards(parts, most, ({ log }, first, count) =>
    reads.entryRows(log, first, count),
  )) {
    const due = next.get(shard.origin);
    if (row.idx !== due) throw defect(`the log ${shard.origin} does not have exactly one receipt at ${due}`);
    next.set(shard.origin, row.idx + 1);
    found.push(entryOf(row, shard));
  }
  if (found.length === most) return found;
  for (const { end, shard } of parts) {
    const due = next.get(shard.origin) ?? 0;
    if (due < end) throw defect(`the log ${shard.origin} has no receipt at ${due}`);
  }
  return found;
}

function entryAt(position: Position, reads: Parts): ProvenEntry | undefined {
  const { index, origin } = position;
  const shard = reads.logs().find((log) => log.origin === origin);
  const [row] = shard === undefined || index >= shard.size ? [] : reads.entryRows(shard.log, index, 1);
  if (shard === undefined || row?.idx !== index) return undefined;
  return { ...entryOf(row, shard), ...proofAt(position, shard.log, reads) };
}

function entryOf({ idx, kind, receipt_id, statement }: EntryRow, { origin }: LogRow): LogEntry {
  return { origin, index: idx, receipt_id, kind, statement };
}

/** What proves an entry. */
type EntryProof = Pick<ProvenEntry, 'envelope' | 'leaf'>;

function proofAt({ index, origin }: Position, log: number, reads: Parts): EntryProof {
  const proof = reads.entryProof(log, index);
  if (proof === undefined) throw defect(`the log ${origin} has lost its entry ${index}`);
  const { entry, kid, payload, signature } = proof;
  return { envelope: envelopeOf(payload, signature, kid), leaf: entry };
}

function defect(what: string): PlatformError {
  return new PlatformError('internal', `${what}; run \`orb log fsck\``);
}
