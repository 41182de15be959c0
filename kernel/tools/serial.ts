/** Runs pieces of work one after the other, each when the one before has ended. */
export type Serial = <R>(work: () => Promise<R>) => Promise<R>;

/** Makes a queue for work that would otherwise mix what it reads and writes. */
export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
