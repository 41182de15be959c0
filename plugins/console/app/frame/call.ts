import { useState } from 'preact/hooks';
import { api, type Call } from './api.ts';
import { asProblem, type ApiProblem } from './problem.ts';

/** What is known of the calls that a form or a button makes. */
export interface Calling {
  readonly busy: boolean;
  /** Why the last call failed; undefined: it did not. */
  readonly problem: ApiProblem | undefined;
  /** Calls the API unless a call is under way; what `done` throws counts as a failure of the call. */
  send<T>(call: Call, done: (answer: T) => void, failed?: (problem: ApiProblem) => void): Promise<void>;
}

/** Makes the calls of a form or a button, one at a time. */
export function useCall(): Calling {
  const [state, setState] = useState<Pick<Calling, 'busy' | 'problem'>>({ busy: false, problem: undefined });
  return {
    ...state,
    async send<T>(call: Call, done: (answer: T) => void, failed: (problem: ApiProblem) => void = () => undefined) {
      if (state.busy) return;
      setState({ busy: true, problem: undefined });
      try {
        done(await api<T>(call));
        setState({ busy: false, problem: undefined });
      } catch (thrown) {
        const problem = asProblem(thrown);
        setState({ busy: false, problem });
        failed(problem);
      }
    },
  };
}

/** Makes the handler of a form that does this work instead of a navigation. */
export const onSubmit =
  (work: () => unknown) =>
  (event: Event): void => {
    event.preventDefault();
    work();
  };
