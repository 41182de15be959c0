// A batch that was not written within this time will never be written.
const forgottenMs = 600_000;

/**
 * Events that are being written to the store, by key. The engine must not settle a key while such events are missing in
 * memory.
 */
export class Arrivals {
  // Number of announcements per key.
  readonly #marks = new Map<string, number>();
  readonly #batches = new Map<string, { readonly keys: ReadonlySet<string>; readonly at: number }>();

  /** Notes that events of these keys will be written; `batch` names them until they are taken. */
  announce(batch: string, keys: readonly string[], nowMs: number): void {
    this.mark(keys);
    this.#batches.set(batch, { keys: new Set(keys), at: nowMs });
  }

  /** Notes that events of these keys were written. */
  mark(keys: readonly string[]): void {
    for (const key of keys) this.#marks.set(key, (this.#marks.get(key) ?? 0) + 1);
  }

  /** Ends an announcement: its events are in memory now, which the task that folded its keys cannot know. */
  taken(batch: string): void {
    this.mark([...(this.#batches.get(batch)?.keys ?? [])]);
    this.#batches.delete(batch);
  }

  /** Returns a number that changes with every announcement or write of events of the key. */
  markOf(key: string): number {
    return this.#marks.get(key) ?? 0;
  }

  /** Removes the count of a settled key. */
  rest(key: string): void {
    this.#marks.delete(key);
  }

  /** Says whether events of the key are announced and not yet in memory. */
  isAnnounced(key: string, nowMs: number): boolean {
    for (const [batch, { at }] of this.#batches) if (at < nowMs - forgottenMs) this.#batches.delete(batch);
    return [...this.#batches.values()].some(({ keys }) => keys.has(key));
  }
}
