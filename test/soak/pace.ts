import type { Book } from './book.ts';

/** Does something again and again until the end, at most once per `everyMs`; a throw is a fault in the book. */
export async function repeat(
  { everyMs, over, book }: { readonly everyMs: number; readonly over: AbortSignal; readonly book: Book },
  work: (round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; !over.aborted; round++) {
    const begun = performance.now();
    await work(round).catch((error: unknown) => {
      book.fault(error instanceof Error ? (error.stack ?? error.message) : String(error));
    });
    await rest(everyMs - (performance.now() - begun), over);
  }
}

/** Waits some milliseconds, or until the end. */
export function rest(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (over.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      over.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, ms));
    over.addEventListener('abort', done);
  });
}
