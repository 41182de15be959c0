import { whenKnown, type Awaitable, type WriteConnection } from '../../../kernel/index.ts';

/** The newest receipt of a chain. */
export interface Head {
  readonly sequence: number;
  /** `sha256:<hex>` of its payload. */
  readonly digest: string;
}

/** Reads the newest committed receipt of a chain. */
export type ReadHead = (orbisetId: string, origin: string) => Awaitable<Head | undefined>;

/** Makes a ReadHead on the writing connection. */
export function headReader(connection: WriteConnection): ReadHead {
  const newest = connection.prepare(
    `SELECT sequence, digest FROM receipts_receipts
     WHERE orbiset_id = ? AND origin = ? AND sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1`,
  );
  return (orbisetId, origin) =>
    whenKnown(newest.get(orbisetId, origin), (row) =>
      row === undefined ? undefined : { sequence: Number(row['sequence']), digest: String(row['digest']) },
    );
}

const mostHeads = 10_000;

/**
 * The heads of the chains, one per (orbiset, log origin): in memory, read from the committed rows by `load`.
 * The additions of a batch become valid at the next `settle`, or are dropped at the next `reset`.
 */
export class Chains {
  readonly #read: ReadHead;
  readonly #committed = new Map<string, Head | undefined>();
  readonly #pending = new Map<string, Head>();

  constructor(read: ReadHead) {
    this.#read = read;
  }

  /** Reads the head of a chain into memory, unless it is there. */
  load(orbisetId: string, origin: string): Awaitable<void> {
    const key = `${origin} ${orbisetId}`;
    if (this.#committed.has(key)) return undefined;
    return whenKnown(this.#read(orbisetId, origin), (head) => void this.#committed.set(key, head));
  }

  /** Finds the newest receipt of a chain that is loaded, of this batch or before; undefined when the chain is empty. */
  head(orbisetId: string, origin: string): Head | undefined {
    const key = `${origin} ${orbisetId}`;
    const pending = this.#pending.get(key);
    if (pending === undefined && !this.#committed.has(key)) throw new Error(`the chain of ${orbisetId} is not loaded`);
    return pending ?? this.#committed.get(key);
  }

  /** Appends a receipt of the batch to its chain. */
  extend(orbisetId: string, origin: string, head: Head): void {
    this.#pending.set(`${origin} ${orbisetId}`, head);
  }

  /** Accepts the additions of the batch, which is durable now. */
  settle(): void {
    for (const [key, head] of this.#pending) this.#committed.set(key, head);
    this.#pending.clear();
    if (this.#committed.size > mostHeads) this.#committed.clear();
  }

  /** Drops everything in memory; heads are read again from the committed rows. */
  reset(): void {
    this.#pending.clear();
    this.#committed.clear();
  }
}
