/** The work of a timer; it may be asynchronous, and may fail. */
export type Work = () => unknown;

/**
 * Runs work every `ms` milliseconds until the returned function is called, unless the work before has not ended yet; it
 * keeps no process alive. `failed` gets the error that the work throws or rejects with: no error in a timer ends the
 * process.
 */
export function every(ms: number, work: Work, failed: (error: unknown) => void): () => void {
  let going: Promise<unknown> | undefined;
  const turn = (): void => {
    going ??= guarded(work, failed)?.finally(() => (going = undefined));
  };
  const timer = setInterval(turn, ms).unref();
  return () => clearInterval(timer);
}

/** Runs work once after `ms` milliseconds, unless the returned function is called before; otherwise as `every`. */
export function after(ms: number, work: Work, failed: (error: unknown) => void): () => void {
  const timer = setTimeout(() => void guarded(work, failed), ms).unref();
  return () => clearTimeout(timer);
}

function guarded(work: Work, failed: (error: unknown) => void): Promise<unknown> | undefined {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(failed) : undefined;
  } catch (error) {
    failed(error);
    return undefined;
  }
}
