import type { LogVector, Position, TransparencyLog } from '../../receipts/contract.ts';
import type { Spans } from '../projection/order.ts';
import type { CursorRow, LedgerReads, Move } from '../tables/reads.ts';
import type { Place } from '../fact/prefix.ts';

/** What reading the positions needs. */
interface CursorOptions {
  readonly log: TransparencyLog;
  readonly reads: Pick<LedgerReads, 'cursors'>;
}

/** The position of the ledger in each shard of the log. */
export class Cursor {
  readonly #rows: Map<string, CursorRow>;
  #moved = new Map<string, CursorRow>();
  #last: Position | undefined;
  readonly #stored: Set<string>;

  private constructor({ before, rows }: Awaited<ReturnType<LedgerReads['cursors']>>, known: readonly CursorRow[]) {
    this.#rows = new Map(known.map((row) => [row.origin, row]));
    this.#stored = new Set(rows.map(({ origin }) => origin));
    this.#last = known.reduce<CursorRow | undefined>(
      (last, row) => (last === undefined || row.newest > last.newest ? row : last),
      undefined,
    );
    // The rows of an older version are written again with the first batch.
    if (before !== undefined) this.#moved = new Map(this.#rows);
  }

  /** Reads the stored positions. */
  static async open({ log, reads }: CursorOptions): Promise<Cursor> {
    const stored = await reads.cursors();
    return new Cursor(stored, stored.before === undefined ? stored.rows : await rowsBefore(stored.before, log));
  }

  /** The committed entries of each shard. */
  get read(): LogVector {
    return this.copy();
  }

  /** The position of the entry that was committed last. */
  get last(): Position | undefined {
    return this.#last === undefined ? undefined : { origin: this.#last.origin, index: this.#last.index };
  }

  copy(): Map<string, number> {
    return new Map([...this.#rows.values()].map(({ index, origin }) => [origin, index + 1]));
  }

  /** Notes a folded entry. */
  reach({ index, origin, receipt_id: id }: Place): void {
    const newest = (this.#moved.get(origin) ?? this.#rows.get(origin))?.newest ?? id;
    this.#moved.delete(origin);
    this.#moved.set(origin, { origin, index, newest: id > newest ? id : newest, first: null });
  }

  /** What a batch moves. */
  moves(spans: Spans): readonly Move[] {
    return [...this.#moved.values()].map((row): Move => {
      const from = this.#stored.has(row.origin) ? this.#rows.get(row.origin)?.index : undefined;
      return { ...row, first: spans.firstOf(row.origin) ?? null, ...(from === undefined ? {} : { from }) };
    });
  }

  /** Notes that the batch is committed. */
  moved(): void {
    for (const [origin, row] of this.#moved) {
      this.#rows.set(origin, row);
      this.#stored.add(origin);
      this.#last = row;
    }
    this.#moved = new Map();
  }
}

// One position, in the order of the shards: those before it were read to their ends, and had ended.
async function rowsBefore(position: Position, log: TransparencyLog): Promise<CursorRow[]> {
  const heads = await log.heads();
  const at = heads.findIndex(({ origin }) => origin === position.origin);
  if (at < 0) throw new Error(`there is no log ${position.origin}, up to which the ledger is folded`);
  const ends = heads.slice(0, at).map(({ origin, tree_size }) => ({ origin, index: tree_size - 1 }));
  const rows: CursorRow[] = [];
  for (const { index, origin } of [...ends, position]) {
    const newest = (await log.entryAt({ origin, index }))?.receipt_id;
    if (newest !== undefined) rows.push({ origin, index, newest, first: null });
  }
  return rows;
}
