/** Makes a task repeatable: runs never overlap; a failure is reported to `failed` and not thrown. */
export function repeated(task: () => Promise<void>, failed: (error: unknown) => void) {
  let last: Promise<void> = Promise.resolve();
  // The run that has not started yet, shared by all callers who request one.
  let next: Promise<void> | undefined;
  let stopped = false;
  // While stopping, the resources of the task close too: that is no failure.
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
    /** Starts a run soon; several calls during one run cause one more run. */
    wake: (): void => void run(),
    /** Waits for the current run; later calls do nothing. */
    stop(): Promise<void> {
      stopped = true;
      return last;
    },
  };
}
