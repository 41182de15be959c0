import { useCallback, useEffect, useState } from 'preact/hooks';
import { get, withQuery } from './api.ts';
import { asProblem, type ApiProblem } from './problem.ts';

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
          // A failed second reading does not take away what is shown.
          setFound((last) => ({ ...(last.path === path ? last : {}), path, problem: asProblem(thrown) })),
      )
      .finally(() => stop.signal.aborted || setLoading(false));
    return () => stop.abort();
  }, [path, round]);
  const reload = useCallback(() => setRound((last) => last + 1), []);
  const { value, problem } = found.path === path ? found : {};
  return { value, problem, loading, reload };
}

interface Pages<T> {
  /** The list that these are of. */
  readonly path: string;
  readonly items: readonly T[];
  readonly next?: string | undefined;
  /** Newer items that wait until the reader asks for them. */
  readonly held: readonly T[];
}

/** A list that is read page by page. */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly loading: boolean;
  readonly problem: ApiProblem | undefined;
  /** Reads the next page; undefined: there is none. */
  readonly more: (() => void) | undefined;
  /** Number of newer items that wait until the reader asks for them. */
  readonly held: number;
  showHeld(): void;
  /** Reads the first page again. Known items change where they stand; with `hold` new ones wait. */
  refresh(hold?: boolean): Promise<void>;
}

/** How a list is read: `member` names its items in the answer. */
export interface ListOptions<T> {
  readonly path: string;
  readonly member: string;
  readonly idOf: (item: T) => string;
}

/** Reads a list of the API that is paged by `next_cursor`. */
export function useList<T>({ path, member, idOf }: ListOptions<T>): Listing<T> {
  const [pages, setPages] = useState<Pages<T>>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [loading, setLoading] = useState(true);
  const current = pages?.path === path ? pages : undefined;

  const read = async (cursor?: string): Promise<Pages<T> | undefined> => {
    try {
      const answer = await get<Record<string, unknown>>(withQuery(path, { cursor }));
      setProblem(undefined);
      const items = (answer[member] ?? []) as readonly T[];
      return { path, items, next: answer['next_cursor'] as string | undefined, held: [] };
    } catch (thrown) {
      setProblem(asProblem(thrown));
      return undefined;
    }
  };
  useEffect(() => {
    let stale = false;
    setLoading(true);
    void read().then((page) => {
      if (stale) return;
      if (page !== undefined) setPages(page);
      setLoading(false);
    });
    return () => void (stale = true);
  }, [path]);

  const next = current?.next;
  return {
    items: current?.items ?? [],
    loading,
    problem,
    held: current?.held.length ?? 0,
    more:
      next === undefined
        ? undefined
        : () =>
            void read(next).then((page) => {
              if (page !== undefined)
                setPages((last) => last && { ...last, items: [...last.items, ...page.items], next: page.next });
            }),
    showHeld: () => setPages((last) => last && { ...last, items: [...last.held, ...last.items], held: [] }),
    async refresh(hold = false) {
      const page = await read();
      if (page !== undefined) setPages((last) => (last?.path === path ? merged(last, page, { idOf, hold }) : page));
    },
  };
}

/** Puts a new first page before what is shown: known items change in place, new ones come first or wait. */
export function merged<T>(
  last: Pages<T>,
  page: Pages<T>,
  { idOf, hold }: { readonly idOf: (item: T) => string; readonly hold: boolean },
): Pages<T> {
  const fresh = new Map(page.items.map((item) => [idOf(item), item]));
  const items = last.items.map((item) => fresh.get(idOf(item)) ?? item);
  const known = new Set(items.map(idOf));
  const added = page.items.filter((item) => !known.has(idOf(item)));
  // More came than a page holds: what lies between is not known, so the list begins anew when it is shown.
  if (added.length === page.items.length && added.length > 0 && last.items.length > 0)
    return hold ? { ...last, items, held: added } : page;
  return hold ? { ...last, items, held: added } : { ...last, items: [...added, ...items], held: [] };
}
