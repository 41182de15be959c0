import { createHash } from 'node:crypto';
import type { Connection } from '../../../kernel/index.ts';
import { cutShape, type CutShape } from '../format/shape.ts';

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

const mostKnown = 1000;

/**
 * The shapes of statements: in memory, and stored when first used. Those that a batch stored are valid for it; `reset`
 * drops all, so that a batch that failed leaves none that is not stored.
 */
export class Shapes {
  readonly #known = new Map<string, KnownShape>();
  readonly #insert;
  readonly #read;

  constructor(connection: Connection) {
    this.#insert = connection.prepare(
      'INSERT INTO receipts_shapes (shape, text) VALUES (?, ?) ON CONFLICT (shape) DO NOTHING',
    );
    this.#read = connection.prepare('SELECT text FROM receipts_shapes WHERE shape = ?');
  }

  /** Finds the shape of a text, and stores it when it is new. */
  find(text: string): KnownShape {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= mostKnown) this.#known.clear();
    const found = { shape: this.#keep(text), cut: cutShape(text) };
    this.#known.set(text, found);
    return found;
  }

  /** Drops everything in memory. */
  reset(): void {
    this.#known.clear();
  }

  // 144 bits: two texts with one digest are not found in the lifetime of an installation. A stored text that was edited
  // is not used: a receipt that is issued now verifies.
  #keep(text: string): string | null {
    const shape = createHash('sha256').update(text).digest('base64url').slice(0, 24);
    this.#insert.queue(shape, text);
    return this.#read.get(shape)?.['text'] === text ? shape : null;
  }
}
