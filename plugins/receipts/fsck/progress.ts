/** Hears how many of the entries of a log are done. */
export type OnProgress = (done: number, of: number) => void;

const everyMs = 2000;

/** Says how far a long check is, every few seconds. `now`: milliseconds of any clock. */
export function sayProgress(say: (text: string) => void, what: string, now = () => performance.now()): OnProgress {
  let said = now();
  return (done, of) => {
    if (now() - said < everyMs || done >= of) return;
    said = now();
    say(`${what}: ${done} of ${of}`);
  };
}
