/** Makes a task repeatable: runs follow one another, and a failure is told and not passed on. */
export function repeated(task: () => Promise<void>, failed: (error: unknown) => void) {
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
    /** Runs it and resolves once a run that began after the call has ended. */
    run,
    /** Runs it soon; several calls during one run make one more. */
    wake: (): void => void run(),
    /** Waits for the run under way; later calls do nothing. */
    stop(): Promise<void> {
      stopped = true;
      return last;
    },
  };
}
