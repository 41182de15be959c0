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

function tooLong(ms: number): () => never {
  return () => {
    throw new Error(`took longer than ${ms / 1000} s`);
  };
}
