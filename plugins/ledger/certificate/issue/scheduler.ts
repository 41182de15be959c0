/** Something that runs again and again, never twice at once. */
export interface Repeated {
  /** Runs it soon; several calls during one run make one more. */
  wake(): void;
  /** Runs it and resolves once a run that began after the call has ended. */
  run(): Promise<void>;
  /** Waits for the run under way; later calls do nothing. */
  stop(): Promise<void>;
}

/** Makes a task repeatable: runs follow one another, and a failure is told and not passed on. */
export function repeated(task: () => Promise<void>, failed: (error: unknown) => void): Repeated {
  let last: Promise<void> = Promise.resolve();
  // The run that has not begun yet, for all who ask for one.
  let next: Promise<void> | undefined;
  let stopped = false;
  // At the end what it rests on ends with it: that is no failure.
  const told = (error: unknown): void => (stopped ? undefined : failed(error));
  const run = (): Promise<void> => {
    if (stopped) return Promise.resolve();
    if (next !== undefined) return next;
    next = last.then(() => {
      next = undefined;
      return stopped ? undefined : task().catch(told);
    });
    last = next;
    return next;
  };
  return {
    run,
    wake: () => void run(),
    stop() {
      stopped = true;
      return last;
    },
  };
}
