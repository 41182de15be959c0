import { useState } from 'preact/hooks';
import type { ApiProblem } from '../../frame/problem.ts';

/** The Idempotency-Key of a call that is made by hand. */
export interface CallKey {
  readonly key: string;
  /** The call is about to be sent: its body keeps this key, and another body gets another one. */
  begin(): void;
  /** The call has ended: the next one with this body is another run. */
  end(): void;
}

/** Keeps an Idempotency-Key for each body that is sent, until its run has ended: a repetition is the same run. */
export function useCallKey(body: unknown): CallKey {
  const text = JSON.stringify(body);
  const [begun] = useState(() => new Map<string, string>());
  const [fresh, setFresh] = useState(() => crypto.randomUUID() as string);
  const key = begun.get(text) ?? fresh;
  const keep = (kept: string): void => {
    begun.set(text, kept);
    setFresh(crypto.randomUUID());
  };
  return { key, begin: () => keep(key), end: () => keep(crypto.randomUUID()) };
}

// After these the action may have been done, or is under way: a repetition with another key could do it twice.
const mayBeDone = new Set([
  ...['outcome_unknown', 'idempotency_in_progress', 'storage_unavailable', 'internal'],
  ...['run_settled', 'invalid_outputs'],
]);

/** Says whether a problem ends the run of a call without an effect, so that a repetition is another run. */
export function endsRun({ runId, code }: Pick<ApiProblem, 'runId' | 'code'>): boolean {
  return runId !== undefined && !mayBeDone.has(code);
}
