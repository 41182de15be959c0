/**
 * Waits for work, at most so long; then answers what `late` does, or throws. The process stays alive until one or the
 * other.
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
