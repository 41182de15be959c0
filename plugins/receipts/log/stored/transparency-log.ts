import { PlatformError } from '../../../../kernel/index.ts';
import type { Envelope, LogEntry, LogHead, Position, TransparencyLog } from '../../contract.ts';
import { envelopeOf } from '../../format/dsse.ts';
import type { EntryProof, EntryRow } from '../../read/entry-reads.ts';
import { readCheckpoint } from '../pure/checkpoint.ts';
import type { LogRow } from './tables.ts';
import { encodeBase64 } from '../../format/base64.ts';
import type { Reads } from '../../store.ts';

/** Makes the service with which other plugins read the log. */
export function createTransparencyLog(
  reads: Reads,
  verifies: (receiptId: string) => boolean,
  onAppend: TransparencyLog['onAppend'],
): TransparencyLog {
  return Object.freeze({
    heads: () => reads.logs().flatMap((log) => headOf(log, reads)),
    entriesAfter: (position, limit) => entriesAfter(position, limit, reads),
    othersAfter: (position, limit) => othersAfter(position, limit, reads),
    verifies,
    position(receiptId) {
      const row = reads.findReceipt(receiptId);
      return row === undefined ? undefined : { origin: row.origin, index: row.idx };
    },
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

// The shards from a position on, each with the index of its first entry after it.
function shardsAfter(
  position: Position | undefined,
  reads: Reads,
): readonly { readonly shard: LogRow; readonly first: number }[] {
  const logs = reads.logs();
  const from = position === undefined ? 0 : logs.findIndex(({ origin }) => origin === position.origin);
  if (from < 0) throw defect(`there is no log ${position?.origin}`);
  return logs.slice(from).map((shard, at) => {
    const first = at === 0 && position !== undefined ? position.index + 1 : 0;
    const { origin, size } = shard;
    // The reader is ahead of the log: it has read entries that no longer exist, so it must not continue.
    if (first > size) throw defect(`the log ${origin} has ${size} entries; there is none at ${first - 1}`);
    return { shard, first };
  });
}

function mostOf(limit: number): number {
  return Math.min(Math.max(0, Math.floor(limit)), mostEntries);
}

function othersAfter(position: Position | undefined, limit: number, reads: Reads): LogEntry[] {
  const found: LogEntry[] = [];
  const most = mostOf(limit);
  for (const { shard, first } of shardsAfter(position, reads)) {
    if (found.length >= most) return found;
    // What the log does not hold yet is committed with the rest of its batch.
    const rows = reads.otherRows(shard.log, first, most - found.length).filter(({ idx }) => idx < shard.size);
    found.push(...rows.map((row) => new Entry(row, shard, reads)));
  }
  return found;
}

function entriesAfter(position: Position | undefined, limit: number, reads: Reads): LogEntry[] {
  const found: LogEntry[] = [];
  const most = mostOf(limit);
  const shards = shardsAfter(position, reads);
  if (most === 0) return found;
  for (const { shard, first } of shards) {
    const { log, origin, size } = shard;
    let next = first;
    const rows = next === size ? [] : reads.entryRows(log, next, most - found.length);
    for (const row of rows) {
      if (row.idx !== next) throw defect(`the log ${origin} has not one receipt at ${next}`);
      found.push(new Entry(row, shard, reads));
      next++;
    }
    if (found.length >= most) return found;
    if (next < size) throw defect(`the log ${origin} has no receipt at ${next}`);
  }
  return found;
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
