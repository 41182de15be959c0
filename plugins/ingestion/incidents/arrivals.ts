// A batch that could not be written for so long will not be.
const forgottenMs = 600_000;

/** Events on their way to the store, by key: a look that does not know them must not say that a key is at rest. */
export class Arrivals {
  // How often events of a key were announced.
  readonly #marks = new Map<string, number>();
  readonly #batches = new Map<string, { readonly keys: ReadonlySet<string>; readonly at: number }>();

  /** Events of these keys are about to be written; `batch` names them until they are taken. */
  announce(batch: string, keys: readonly string[], nowMs: number): void {
    this.mark(keys);
    this.#batches.set(batch, { keys: new Set(keys), at: nowMs });
  }

  /** Events of these keys were written. */
  mark(keys: readonly string[]): void {
    for (const key of keys) this.#marks.set(key, (this.#marks.get(key) ?? 0) + 1);
  }

  /** What was announced is known now. */
  taken(batch: string): void {
    this.#batches.delete(batch);
  }

  /** Changes whenever events of the key are announced. */
  markOf(key: string): number {
    return this.#marks.get(key) ?? 0;
  }

  /** The key is at rest. */
  rest(key: string): void {
    this.#marks.delete(key);
  }

  /** Events of the key are announced and not yet known. */
  isAnnounced(key: string, nowMs: number): boolean {
    for (const [batch, { at }] of this.#batches) if (at < nowMs - forgottenMs) this.#batches.delete(batch);
    return [...this.#batches.values()].some(({ keys }) => keys.has(key));
  }
}
