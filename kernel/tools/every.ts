type Work = () => unknown;

/** Runs work every `ms` milliseconds, unless the last one still runs; keeps no process alive. `failed` gets errors. */
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

/** Waits for work, at most `ms` milliseconds, then returns the result of `late`, or throws; keeps the process alive. */
export async function within<T>(ms: number, work: T | Promise<T>, late: () => T = tooLong(ms)): Promise<T> {
  const up = Promise.withResolvers<void>();
  const timer = setTimeout(up.resolve, ms);
  try {
    return await Promise.race([work, up.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for work until a signal aborts, and then rejects with what `failed` makes; the work itself goes on. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>, failed: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(failed());
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function tooLong(ms: number): () => never {
  return () => {
    throw new Error(`took longer than ${ms / 1000} s`);
  };
}
