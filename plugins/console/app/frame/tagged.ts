import { useCallback, useEffect, useState } from 'preact/hooks';
import { apiWithTag } from './api.ts';
import { asProblem, type ApiProblem } from './problem.ts';

/** What a path answered, with the ETag that a change names in If-Match. */
export interface Tagged<T> {
  readonly value: T;
  readonly tag: string | undefined;
}

/** What is known of something that is read with its ETag. */
export interface TaggedReading<T> {
  readonly value: Tagged<T> | undefined;
  readonly problem: ApiProblem | undefined;
  reload(): void;
}

/** Reads a path with its ETag, and again on demand; what was read is kept meanwhile. undefined: nothing to read. */
export function useTagged<T>(path: string | undefined): TaggedReading<T> {
  const [found, setFound] = useState<Pick<TaggedReading<T>, 'value' | 'problem'>>({
    value: undefined,
    problem: undefined,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === undefined) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    apiWithTag<T>({ path, signal }).then(
      (value) => setFound({ value, problem: undefined }),
      (thrown: unknown) => signal.aborted || setFound((last) => ({ ...last, problem: asProblem(thrown) })),
    );
    return () => stop.abort();
  }, [path, round]);
  return { ...found, reload: useCallback(() => setRound((last) => last + 1), []) };
}

/** The condition of a change of what was read. */
export const ifMatch = (tag: string | undefined): Readonly<Record<string, string>> =>
  tag === undefined ? {} : { 'If-Match': tag };
