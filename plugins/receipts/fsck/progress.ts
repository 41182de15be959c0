import type { OnProgress } from '../../../kernel/index.ts';

const everyMs = 2000;

/** Reports the progress of a long check, every few seconds. `now`: milliseconds of any clock. */
export function sayProgress(say: (text: string) => void, what: string, now = () => performance.now()): OnProgress {
  let said = now();
  return (done, of) => {
    if (now() - said < everyMs || done >= of) return;
    said = now();
    say(`${what}: ${done} of ${of}`);
  };
}
