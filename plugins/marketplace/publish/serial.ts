/** Lets one piece of work after the other have its turn. */
export interface Turns {
  /** Does the work once all that asked before is over, however that ended. */
  take<T>(work: () => Promise<T>): Promise<T>;
}

/** Makes an empty queue. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take<T>(work: () => Promise<T>): Promise<T> {
      const turn = last.then(work, work);
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
