/** What a timer does; it may be asynchronous, and may fail. */
export type Work = () => unknown;

/**
 * Runs work every so many ms until the answered function is called; it keeps no process alive. `failed` hears of what the
 * work throws or rejects with: nothing that a timer does ends the process.
 */
export function every(ms: number, work: Work, failed: (error: unknown) => void): () => void {
  const timer = setInterval(() => guarded(work, failed), ms).unref();
  return () => clearInterval(timer);
}

/** Runs work once after so many ms, unless the answered function is called before; otherwise as `every`. */
export function after(ms: number, work: Work, failed: (error: unknown) => void): () => void {
  const timer = setTimeout(() => guarded(work, failed), ms).unref();
  return () => clearTimeout(timer);
}

function guarded(work: Work, failed: (error: unknown) => void): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}
