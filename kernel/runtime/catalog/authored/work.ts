/** Tells that a value takes more work to check than any value may. */
export class TooMuchWork extends Error {}

/** Counts the steps of one validation: a schema of an author must not hold up everybody else's requests. */
export interface Work {
  /** Counts steps. Throws TooMuchWork when there are too many. */
  spend(steps: number): void;
  /** Begins the next validation. */
  begin(): void;
}

/** Makes a counter that allows each validation `most` steps. */
export function newWork(most: number): Work {
  let left = most;
  return {
    spend: (steps) => {
      left -= steps;
      if (left < 0) throw new TooMuchWork();
    },
    begin: () => {
      left = most;
    },
  };
}
