import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, withQuery } from './api.ts';
import { merged, shownOf, waitingOf, type Pages } from './pages.ts';
import { ApiProblem, asProblem } from './problem.ts';

/** What is known of something that is read from the API. */
export interface Reading<T> {
  /** The last answer; kept while it is read again. */
  readonly value: T | undefined;
  readonly problem: ApiProblem | undefined;
  readonly loading: boolean;
  /** Reads it again. */
  reload(): void;
}

/** Reads a path of the API now, and again when the path changes; undefined: nothing to read. */
export function useGet<T>(path: string | undefined): Reading<T> {
  const [found, setFound] = useState<{ path?: string; value?: T; problem?: ApiProblem }>({});
  const [round, setRound] = useState(0);
  const [loading, setLoading] = useState(path !== undefined);
  useEffect(() => {
    if (path === undefined) return undefined;
    const stop = new AbortController();
    setLoading(true);
    get<T>(path, stop.signal)
      .then(
        (value) => setFound({ path, value }),
        (thrown: unknown) =>
          stop.signal.aborted ||
          // A failed refresh does not remove the shown data.
          setFound((last) => ({ ...(last.path === path ? last : {}), path, problem: asProblem(thrown) })),
      )
      .finally(() => stop.signal.aborted || setLoading(false));
    return () => stop.abort();
  }, [path, round]);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  const { value, problem } = found.path === path ? found : {};
  return { value, problem, loading, reload };
}

/** A list that is read page by page. */
export interface Listing<T> {
  readonly items: readonly T[];
  /** Identifies an item. */
  readonly idOf: (item: T) => string;
  /** The list is not loaded yet. */
  readonly loading: boolean;
  readonly problem: ApiProblem | undefined;
  /** Reads the next page; undefined: there is none. */
  readonly more: (() => void) | undefined;
  /** The next page is being read. */
  readonly busy: boolean;
  /** Number of newer items that wait until the reader asks for them. */
  readonly held: number;
  /** Items that no longer match stay until the user refreshes the list. */
  readonly outdated: boolean;
  /** Shows the list as it was last read. */
  showHeld(): void;
  /** Reads the first page again: new items come, those that no longer fit go. With `hold` both wait. */
  refresh(hold?: boolean): Promise<void>;
}

/** How a list is read: `member` names its items in the answer. */
export interface ListOptions<T> {
  readonly path: string;
  readonly member: string;
  readonly idOf: (item: T) => string;
  /** Says whether an item is shown; each is unless given. The list is read on until one is. */
  readonly shows?: (item: T) => boolean;
}

/** What is known of a list. */
interface Found<T> {
  readonly path?: string;
  readonly pages?: Pages<T> | undefined;
  readonly problem?: ApiProblem;
}

/** Reads a list of the API that is paged by `next_cursor`. */
export function useList<T>(options: ListOptions<T>): Listing<T> {
  const { path, idOf } = options;
  const [found, setFound] = useState<Found<T>>({});
  const [busy, setBusy] = useState(false);
  const read = useReads(options, setFound);
  const { pages, problem } = found.path === path ? found : {};
  const refresh = (hold = false): Promise<void> =>
    read(undefined, (last, page) => (last === undefined ? page : merged(last, page, { idOf, hold })));
  useEffect(() => void refresh(), [path]);
  const next = pages?.next;
  const more = (): void => {
    if (busy) return;
    setBusy(true);
    // A page that no longer continues the list is dropped: the list began again, or the page came twice.
    const append = (last: Pages<T> | undefined, page: Pages<T>): Pages<T> | undefined =>
      last?.next === next && last ? { ...last, items: [...last.items, ...page.items], next: page.next } : last;
    void read(next, append).finally(() => setBusy(false));
  };
  const { come, go } = pages === undefined ? nothing : waitingOf(pages, idOf);
  return {
    ...{ items: pages?.items ?? [], idOf, loading: found.path !== path, problem, busy, refresh },
    more: next === undefined ? undefined : more,
    ...{ held: come, outdated: go > 0 },
    showHeld: () => setFound((last) => ({ ...last, pages: last.pages && shownOf(last.pages, idOf) })),
  };
}

const nothing = { come: 0, go: 0 } as const;

type Place<T> = (last: Pages<T> | undefined, page: Pages<T>) => Pages<T> | undefined;

/**
 * Reads pages of a list, and lets `place` insert each. Responses arrive in any order: those of another list are
 * dropped, and so is a first page that is older than the shown one.
 */
function useReads<T>(options: ListOptions<T>, setFound: (change: (last: Found<T>) => Found<T>) => void) {
  const reads = useRef({ options, stop: new AbortController(), asked: 0, shown: 0 }).current;
  reads.options = options;
  useEffect(() => {
    const stop = new AbortController();
    reads.stop = stop;
    return () => stop.abort();
  }, [options.path]);
  return async (cursor: string | undefined, place: Place<T>): Promise<void> => {
    const { path } = reads.options;
    const { signal } = reads.stop;
    const turn = (reads.asked += 1);
    const page = await readOn(reads.options, cursor, signal).catch(asProblem);
    if (signal.aborted) return;
    if (cursor === undefined) {
      if (turn < reads.shown) return;
      reads.shown = turn;
    }
    setFound((last) => {
      const { pages } = last.path === path ? last : {};
      return page instanceof ApiProblem ? { path, pages, problem: page } : { path, pages: place(pages, page) };
    });
  };
}

const mostPages = 100;

// A page may be empty although the list continues, because the server reads a limited number of rows per page.
async function readOn<T>(
  { path, member, shows = () => true }: ListOptions<T>,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Pages<T>> {
  const items: T[] = [];
  let next = cursor;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const answer = await get<Record<string, unknown>>(withQuery(path, { cursor: next }), signal);
    items.push(...((answer[member] ?? []) as readonly T[]));
    next = answer['next_cursor'] as string | undefined;
    if (next === undefined || items.some(shows)) break;
  }
  return { path, items, next };
}
