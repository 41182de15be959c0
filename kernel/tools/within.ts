/**
 * Waits for work, at most `ms` milliseconds; then returns the result of `late`, or throws. The process stays alive
 * until either happens.
 */
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
