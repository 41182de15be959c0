import { createHash } from 'node:crypto';
import { whenKnown, type Awaitable, type WriteConnection } from '../../../kernel/index.ts';
import { cutShape, type CutShape } from '../format/shape.ts';
import { mostSent, type SentShape } from './split-statement.ts';

/** Adds the table of shapes: a receipt with one keeps the values of its statement alone. */
export const shapeMigration = `
  CREATE TABLE receipts_shapes (shape TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
  ALTER TABLE receipts_receipts ADD COLUMN shape TEXT;`;

/** The shape of a statement, as the writer knows it. */
export interface KnownShape {
  /** Its digest, once it is stored; null: statements of it are stored whole. */
  readonly shape: string | null;
  readonly cut: CutShape;
}

interface Known extends KnownShape {
  /** Whether its row is there, or is written by this batch. */
  stored: boolean;
}

const mostKnown = 1000;
// When the sender drops its shapes, statements with their numbers may still be on the way.
const mostNumbered = 2 * mostSent;

/**
 * The shapes of statements: in memory, and stored when first used. Those that a batch stored are valid for it; `reset`
 * drops all, so that a batch that failed leaves none that is not stored.
 */
export class Shapes {
  readonly #known = new Map<string, Known>();
  /** The text of each length that was asked for last: to compare is cheaper than the hash of a long text. */
  readonly #recent = new Map<number, { readonly text: string; readonly known: Known }>();
  /** The texts of shapes that come by number, the oldest first. They are no state of the store: `reset` leaves them. */
  readonly #numbered = new Map<number, string>();
  readonly #insert;
  readonly #read;

  constructor(connection: WriteConnection) {
    this.#insert = connection.prepare(
      'INSERT INTO receipts_shapes (shape, text) VALUES (?, ?) ON CONFLICT (shape) DO NOTHING',
    );
    this.#read = connection.prepare('SELECT text FROM receipts_shapes WHERE shape = ?');
  }

  /** Answers the text of a shape, and keeps one that comes with its number. */
  textOf(shape: string | SentShape): string {
    if (typeof shape === 'string') return shape;
    const text = this.#numbered.get(shape.number) ?? shape.text;
    if (text === undefined) throw new Error(`the shape ${shape.number} was not sent`);
    if (shape.text !== undefined) this.#keep(shape.number, text);
    return text;
  }

  /** Reads the shape of a text into memory, unless it is there. */
  load(text: string): Awaitable<void> {
    if (this.#find(text) !== undefined) return undefined;
    // 144 bits: two texts with one digest are not found in the lifetime of an installation.
    const shape = createHash('sha256').update(text).digest('base64url').slice(0, 24);
    return whenKnown(this.#read.get(shape), (row) => {
      // A stored text that was edited is not used: a receipt that is issued now verifies.
      const usable = row === undefined || row['text'] === text;
      this.#known.set(text, { shape: usable ? shape : null, cut: cutShape(text), stored: row !== undefined });
    });
  }

  /** Finds the shape of a text that is loaded, and stores it when it is new. */
  find(text: string): KnownShape {
    const known = this.#find(text);
    if (known === undefined) throw new Error('the shape of a statement is not loaded');
    if (!known.stored) this.#insert.queue(known.shape, text);
    known.stored = true;
    return known;
  }

  /** Drops shapes when too many are in memory: none is needed between two batches. */
  settle(): void {
    if (this.#known.size > mostKnown) this.reset();
  }

  /** Drops everything in memory. */
  reset(): void {
    this.#known.clear();
    this.#recent.clear();
  }

  #keep(number: number, text: string): void {
    this.#numbered.set(number, text);
    if (this.#numbered.size <= mostNumbered) return;
    for (const oldest of this.#numbered.keys()) {
      this.#numbered.delete(oldest);
      return;
    }
  }

  #find(text: string): Known | undefined {
    const recent = this.#recent.get(text.length);
    if (recent?.text === text) return recent.known;
    const known = this.#known.get(text);
    if (known !== undefined) this.#recent.set(text.length, { text, known });
    return known;
  }
}
