import type { Call } from '../../frame/api.ts';
import type { ApiProblem } from '../../frame/problem.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../frame/announce.ts';
import { asProblem } from '../../frame/problem.ts';
import { streamChat, type Told } from './stream.ts';

interface State extends Told {
  /** `stopped`: the user left it; what it cost may be unknown. */
  readonly phase: 'none' | 'waiting' | 'answering' | 'done' | 'stopped' | 'failed';
  readonly text: string;
  readonly problem?: ApiProblem;
}

/** The answer of a model, as far as it has arrived. */
export interface Answer extends State {
  readonly busy: boolean;
  /** Asks; what was shown before goes. */
  ask(call: Call): void;
  stop(): void;
}

const words = {
  done: 'The answer is complete',
  stopped: 'The answer was stopped',
  failed: 'The answer failed',
} as const;

/** Asks a model, one message at a time; a screen that goes stops its answer. */
export function useAnswer(): Answer {
  const [state, setState] = useState<State>({ phase: 'none', text: '' });
  const asked = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => asked.current?.abort(), []);
  const busy = state.phase === 'waiting' || state.phase === 'answering';
  const ask = (call: Call): void => {
    const own = new AbortController();
    asked.current = own;
    const end = (phase: keyof typeof words, more: Partial<State> = {}): void => {
      setState((last) => ({ ...last, ...more, phase }));
      announce(words[phase]);
    };
    setState({ phase: 'waiting', text: '' });
    streamChat(
      { ...call, signal: own.signal },
      {
        text: (piece) => {
          if (piece !== '') setState((last) => ({ ...last, phase: 'answering', text: last.text + piece }));
        },
        told: (more) => setState((last) => ({ ...last, ...more })),
      },
    ).then(
      () => end('done'),
      (thrown: unknown) => (own.signal.aborted ? end('stopped') : end('failed', { problem: asProblem(thrown) })),
    );
  };
  return { ...state, busy, ask, stop: () => asked.current?.abort() };
}
