import type { EntryRow } from '../rows/entry-reads.ts';
import type { LogRow } from './tables.ts';

/** Reads rows of a shard from an index on, at most `limit`, in order; fewer only when there are no more. */
export type ReadRows = (shard: LogRow, first: number, limit: number) => readonly EntryRow[];

/** The part of a shard that is to be read: from `next` on, before `end`. */
export interface Part {
  readonly shard: LogRow;
  readonly next: number;
  readonly end: number;
  /** Origin of the shard that it continues, and after which it is read. */
  readonly follows?: string | undefined;
}

/** One row and the shard that it is of. */
export interface Found {
  readonly row: EntryRow;
  readonly shard: LogRow;
}

/**
 * Reads rows of several shards, at most `limit`: each shard in its order, and among them the row whose receipt is the
 * oldest first. Shards that grew one after the other are so read one after the other.
 */
export function* mergeShards(parts: readonly Part[], limit: number, read: ReadRows): Generator<Found> {
  const [only] = parts;
  if (only === undefined || limit === 0) return;
  // A page of one shard is one statement; of several, it is unknown which of them it will come from.
  const ahead = parts.map((part) => new Ahead(part, parts.length === 1 ? limit : 1, limit, read));
  for (const one of ahead) one.before = ahead.find(({ shard }) => shard.origin === one.follows);
  for (let left = limit; left > 0; left--) {
    let first: Ahead | undefined;
    for (const one of ahead) if (one.isDue() && (first === undefined || one.key < first.key)) first = one;
    if (first?.row === undefined) return;
    yield { row: first.row, shard: first.shard };
    first.take();
  }
}

// The rows of one shard, read ahead in chunks that grow.
class Ahead {
  readonly shard: LogRow;
  row: EntryRow | undefined;
  /** The newest receipt id so far: ids made at once may be logged in another order, and a shard keeps its own. */
  key = '';
  readonly follows: string | undefined;
  before: Ahead | undefined;
  readonly #end: number;
  readonly #most: number;
  readonly #read: ReadRows;
  #next: number;
  #chunk: number;
  #rows: readonly EntryRow[] = [];
  #at = 0;
  #over = false;

  constructor({ end, follows, next, shard }: Part, chunk: number, most: number, read: ReadRows) {
    this.shard = shard;
    this.follows = follows;
    this.#end = end;
    this.#next = next;
    this.#chunk = chunk;
    this.#most = most;
    this.#read = read;
    this.take();
  }

  /** Says whether its next row may be read now. */
  isDue(): boolean {
    return this.row !== undefined && this.before?.row === undefined;
  }

  /** Goes on to the next row. */
  take(): void {
    if (this.#at === this.#rows.length && !this.#over) this.#refill();
    this.row = this.#rows[this.#at++];
    if (this.row !== undefined && this.row.receipt_id > this.key) this.key = this.row.receipt_id;
  }

  #refill(): void {
    const rows = this.#next < this.#end ? this.#read(this.shard, this.#next, this.#chunk) : [];
    this.#rows = rows.filter(({ idx }) => idx < this.#end);
    this.#at = 0;
    this.#next = (this.#rows.at(-1)?.idx ?? this.#end) + 1;
    this.#over = rows.length < this.#chunk || this.#rows.length < rows.length;
    this.#chunk = Math.min(this.#most, this.#chunk * 4);
  }
}
