/** The keys that have something due, each with its time in ms. */
export class DueKeys {
  readonly #due = new Map<string, number>();

  set(key: string, dueMs: number): void {
    this.#due.set(key, dueMs);
  }

  /** Takes times that were read while others may have been set: the sooner one counts. */
  take(dues: Iterable<readonly [key: string, dueMs: number]>): void {
    for (const [key, dueMs] of dues) this.#due.set(key, Math.min(dueMs, this.#due.get(key) ?? Infinity));
  }

  delete(key: string): void {
    this.#due.delete(key);
  }

  /** Lists the keys that are due at a moment. */
  at(nowMs: number): readonly string[] {
    return [...this.#due].filter(([, due]) => due <= nowMs).map(([key]) => key);
  }
}
