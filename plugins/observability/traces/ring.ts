/** Keeps the newest things and forgets the oldest. */
export interface Ring<T> {
  push(item: T): void;
  /** Newest first. */
  newest(): IterableIterator<T>;
  readonly size: number;
}

/** Creates a ring for so many things; none when 0. */
export function createRing<T>(most: number): Ring<T> {
  const items: T[] = [];
  let next = 0;
  return {
    push(item) {
      if (most === 0) return;
      items[next] = item;
      next = (next + 1) % most;
    },
    *newest() {
      for (let back = 1; back <= items.length; back++) {
        const item = items[(next - back + items.length) % items.length];
        if (item !== undefined) yield item;
      }
    },
    get size() {
      return items.length;
    },
  };
}
