/** A ring buffer of the newest items; the oldest are dropped. */
export type Ring<T> = ReturnType<typeof createRing<T>>;

/** Creates a ring buffer for `most` items; it stores nothing when `most` is 0. */
export function createRing<T>(most: number) {
  const items: T[] = [];
  let next = 0;
  return {
    push(item: T): void {
      if (most === 0) return;
      items[next] = item;
      next = (next + 1) % most;
    },
    /** Reads the items, newest first. */
    *newest(): IterableIterator<T> {
      for (let back = 1; back <= items.length; back++) {
        const item = items[(next - back + items.length) % items.length];
        if (item !== undefined) yield item;
      }
    },
  };
}
