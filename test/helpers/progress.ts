import type { Progress } from '../../kernel/index.ts';

/** A place of progress that keeps what is shown: the last state of each part, such as `reading store.db: 7/7`. */
export function recordedProgress(): Progress & { readonly shown: ReadonlyMap<string, string> } {
  const shown = new Map<string, string>();
  return {
    shown,
    part: (what) => (done, of) => void shown.set(what, `${done}/${of}`),
    count: (what) => (amount) => void shown.set(what, amount),
    wait: () => () => undefined,
    clear: () => undefined,
  };
}
