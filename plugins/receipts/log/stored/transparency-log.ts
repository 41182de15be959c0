import { PlatformError } from '../../../../kernel/index.ts';
import type { Envelope, LogEntry, LogHead, LogVector, Position, TransparencyLog } from '../../contract.ts';
import { envelopeOf } from '../../format/dsse.ts';
import type { EntryProof, EntryRow } from '../../read/entry-reads.ts';
import { readCheckpoint } from '../pure/checkpoint.ts';
import { mergeShards, type Part } from './merge.ts';
import type { LogRow } from './tables.ts';
import { encodeBase64 } from '../../format/base64.ts';
import type { Reads } from '../../store.ts';

/** Makes the service with which other plugins read the log. */
export function createTransparencyLog(
  reads: Reads,
  verifies: TransparencyLog['verifies'],
  onAppend: TransparencyLog['onAppend'],
): TransparencyLog {
  return Object.freeze({
    heads: () => reads.logs().flatMap((log) => headOf(log, reads)),
    entriesAfter: (read, limit, until) => entriesAfter({ read, limit, until }, reads),
    othersAfter: (read, limit, until) => othersAfter({ read, limit, until }, reads),
    entryAt: (position) => entryAt(position, reads),
    verifies,
    position(receiptId) {
      const row = reads.findReceipt(receiptId);
      return row === undefined ? undefined : { origin: row.origin, index: row.idx };
    },
    positions: (receiptIds) => reads.positionsOf(receiptIds),
    onAppend,
  } satisfies TransparencyLog);
}

function headOf({ log, origin }: LogRow, reads: Reads): LogHead[] {
  const newest = reads.newestCheckpoint(log);
  const checkpoint = readCheckpoint(newest?.note)?.checkpoint;
  if (newest === undefined || checkpoint === undefined) return [];
  return [{ origin, tree_size: newest.size, root_hash: encodeBase64(checkpoint.root), checkpoint: newest.note }];
}

const mostEntries = 1000;

interface Reading {
  readonly read: LogVector;
  readonly limit: number;
  readonly until: LogVector | undefined;
}

// What is to be read of each shard. Shards that are read to their end have no part.
function partsAfter({ read, until }: Reading, reads: Reads): readonly Part[] {
  const logs = reads.logs();
  for (const origin of read.keys())
    if (!logs.some((log) => log.origin === origin)) throw defect(`there is no log ${origin}`);
  const parts = logs.flatMap((shard): Part[] => {
    const { origin, size } = shard;
    const next = read.get(origin) ?? 0;
    // The reader is ahead of the log: it has read entries that no longer exist, so it must not continue.
    if (next > size) throw defect(`the log ${origin} has ${size} entries; there is none at ${next - 1}`);
    // What the log does not hold yet is committed with the rest of its batch.
    const end = until === undefined ? size : Math.min(size, until.get(origin) ?? 0);
    return next < end ? [{ shard, next, end }] : [];
  });
  if (parts.length < 2) return parts;
  const follows = new Map(reads.owners().map((owner) => [owner.log, owner.follows]));
  return parts.map((part) => ({ ...part, follows: follows.get(part.shard.log) ?? undefined }));
}

function mostOf(limit: number): number {
  return Math.min(Math.max(0, Math.floor(limit)), mostEntries);
}

function othersAfter(reading: Reading, reads: Reads): LogEntry[] {
  const rows = mergeShards(partsAfter(reading, reads), mostOf(reading.limit), ({ log }, first, most) =>
    reads.otherRows(log, first, most),
  );
  return Array.from(rows, ({ row, shard }) => new Entry(row, shard, reads));
}

function entriesAfter(reading: Reading, reads: Reads): LogEntry[] {
  const found: LogEntry[] = [];
  const most = mostOf(reading.limit);
  const parts = partsAfter(reading, reads);
  const next = new Map(parts.map((part) => [part.shard.origin, part.next]));
  for (const { row, shard } of mergeShards(parts, most, ({ log }, first, count) =>
    reads.entryRows(log, first, count),
  )) {
    const due = next.get(shard.origin);
    if (row.idx !== due) throw defect(`the log ${shard.origin} has not one receipt at ${due}`);
    next.set(shard.origin, row.idx + 1);
    found.push(new Entry(row, shard, reads));
  }
  if (found.length === most) return found;
  for (const { end, shard } of parts) {
    const due = next.get(shard.origin) ?? 0;
    if (due < end) throw defect(`the log ${shard.origin} has no receipt at ${due}`);
  }
  return found;
}

function entryAt({ index, origin }: Position, reads: Reads): LogEntry | undefined {
  const shard = reads.logs().find((log) => log.origin === origin);
  const [row] = shard === undefined || index >= shard.size ? [] : reads.entryRows(shard.log, index, 1);
  return shard === undefined || row?.idx !== index ? undefined : new Entry(row, shard, reads);
}

// Proof data is read only on access: followers of the log read only statements. A class, because accessors of an object
// literal are created for every entry, and the objects they refer to stay until a full garbage collection.
class Entry implements LogEntry {
  readonly origin: string;
  readonly index: number;
  readonly receipt_id: string;
  readonly kind: string;
  readonly statement: string;
  readonly #log: number;
  readonly #reads: Reads;
  #proof: EntryProof | undefined;

  constructor({ idx, kind, receipt_id, statement }: EntryRow, { log, origin }: LogRow, reads: Reads) {
    this.origin = origin;
    this.index = idx;
    this.receipt_id = receipt_id;
    this.kind = kind;
    this.statement = statement;
    this.#log = log;
    this.#reads = reads;
  }

  get envelope(): Envelope {
    const { kid, payload, signature } = this.#proven();
    return envelopeOf(payload, signature, kid);
  }

  get leaf(): Uint8Array {
    return this.#proven().entry;
  }

  #proven(): EntryProof {
    this.#proof ??= this.#reads.entryProof(this.#log, this.index);
    if (this.#proof === undefined) throw defect(`the log ${this.origin} has lost its entry ${this.index}`);
    return this.#proof;
  }
}

function defect(what: string): PlatformError {
  return new PlatformError('internal', `${what}; run \`orb log fsck\``);
}
