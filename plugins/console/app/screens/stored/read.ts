import { useCallback, useEffect, useState } from 'preact/hooks';
import { apiWithTag } from '../../frame/api.ts';
import { asProblem, type ApiProblem } from '../../frame/problem.ts';
import type { ShownProvider } from './adapter.ts';
import type { Stored } from './form.ts';

/** A provider that is read with its ETag. */
export interface StoredReading {
  readonly value: Stored | undefined;
  readonly problem: ApiProblem | undefined;
  reload(): void;
}

/** Reads a provider with its ETag, and again on demand; what was read is kept meanwhile. */
export function useStored(name: string): StoredReading {
  const [found, setFound] = useState<Pick<StoredReading, 'value' | 'problem'>>({
    value: undefined,
    problem: undefined,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    apiWithTag<ShownProvider>({ path: `/providers/${encodeURIComponent(name)}`, signal }).then(
      (value) => setFound({ value, problem: undefined }),
      (thrown: unknown) => signal.aborted || setFound((last) => ({ ...last, problem: asProblem(thrown) })),
    );
    return () => stop.abort();
  }, [name, round]);
  return { ...found, reload: useCallback(() => setRound((last) => last + 1), []) };
}
