/** What is read of a list, from its first item on. */
export interface Pages<T> {
  /** The list that these are of. */
  readonly path: string;
  readonly items: readonly T[];
  /** Cursor of the next page; undefined: there is none. */
  readonly next?: string | undefined;
  /** A newer first page, which waits until the reader asks for it. */
  readonly waiting?: Pages<T> | undefined;
}

/** How to identify items, and whether the user is in the list: then no row may move. */
export interface MergeOptions<T> {
  readonly idOf: (item: T) => string;
  readonly hold: boolean;
}

/**
 * Replaces the items that a new first page covers; items that no longer match are removed. With `hold` the page waits,
 * and only known items change, in place.
 */
export function merged<T>(last: Pages<T>, page: Pages<T>, { idOf, hold }: MergeOptions<T>): Pages<T> {
  const fresh = new Map(page.items.map((item) => [idOf(item), item]));
  if (hold) return { ...last, items: last.items.map((item) => fresh.get(idOf(item)) ?? item), waiting: page };
  const oldest = page.items.at(-1);
  const end = oldest === undefined ? -1 : last.items.findIndex((item) => idOf(item) === idOf(oldest));
  const older = last.items.slice(end + 1).filter((item) => !fresh.has(idOf(item)));
  // If the end of a page is unknown, items may be missing between it and the older ones, so the list starts again.
  if (page.next === undefined || end === -1 || older.length === 0) return page;
  return { ...page, items: [...page.items, ...older], next: last.next };
}

/** Shows the waiting page; without one nothing changes. */
export function shownOf<T>(pages: Pages<T>, idOf: (item: T) => string): Pages<T> {
  return pages.waiting === undefined ? pages : merged(pages, pages.waiting, { idOf, hold: false });
}

/** Counts the items that come, and those that go, when the waiting page is shown. */
export function waitingOf<T>(
  pages: Pages<T>,
  idOf: (item: T) => string,
): { readonly come: number; readonly go: number } {
  const after = new Set(shownOf(pages, idOf).items.map(idOf));
  const go = pages.items.filter((item) => !after.has(idOf(item))).length;
  return { come: after.size - (pages.items.length - go), go };
}
