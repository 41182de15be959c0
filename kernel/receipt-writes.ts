import type { Fact, ReceiptWrites } from './fact.ts';

/** The writes that plugins add to the commit of each receipt. */
export class AddedWrites {
  readonly #failed: (owner: string, error: unknown) => void;
  readonly #all = new Map<object, { readonly owner: string; readonly writes: ReceiptWrites }>();

  constructor(failed: (owner: string, error: unknown) => void) {
    this.#failed = failed;
  }

  /** Adds writes; the function that is returned removes them. */
  add(owner: string, writes: ReceiptWrites): () => void {
    const place = {};
    this.#all.set(place, { owner, writes });
    return () => void this.#all.delete(place);
  }

  /** Returns the fact with the added writes. A plugin that fails loses its own; the receipt is recorded nevertheless. */
  to<F extends Fact>(fact: F): F {
    if (this.#all.size === 0) return fact;
    const operations: Fact['operations'] = (receiptId, summary) => {
      const all = [...fact.operations(receiptId, summary)];
      for (const { owner, writes } of this.#all.values())
        try {
          all.push(...writes(fact.fact, receiptId, summary));
        } catch (error) {
          this.#failed(owner, error);
        }
      return all;
    };
    return { ...fact, operations };
  }
}
