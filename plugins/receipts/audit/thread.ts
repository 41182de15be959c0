import { Worker } from 'node:worker_threads';
import type { AuditData, FromAuditor, ToAuditor } from './worker.ts';

/** A running auditor thread. */
export type AuditThread = ReturnType<typeof startAuditThread>;

/** A message with findings of the auditor. */
export type News = Exclude<FromAuditor, { readonly kind: 'begun' }>;

type Followed = { readonly heard: (message: News) => void; readonly ended: (error: unknown) => void };

const longestCloseMs = 2000;

/** Starts the thread; it does not keep the process alive. `ended` is called when the thread ends without a request. */
export function startAuditThread(data: AuditData, { ended, heard }: Followed) {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { name: 'auditor', workerData: data });
  worker.unref();
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const { promise: begun, resolve: begins } = Promise.withResolvers<void>();
  let closing = false;
  let failure: unknown;
  worker.on('message', (message: FromAuditor) => {
    if (message.kind === 'begun') begins();
    else if (!closing) heard(message);
  });
  worker.on('error', (error: unknown) => {
    failure = error;
  });
  void exited.then(() => {
    if (!closing) ended(failure);
  });
  return {
    say: (message: ToAuditor) => worker.postMessage(message),
    /** Ends the thread after the current receipt; resolves when the thread has ended. */
    async close(): Promise<void> {
      closing = true;
      worker.postMessage({ kind: 'close' } satisfies ToAuditor);
      // Terminating a thread while it loads the driver of the store aborts the whole process.
      await Promise.race([begun, exited]);
      const timer = setTimeout(() => void worker.terminate(), longestCloseMs);
      await exited;
      clearTimeout(timer);
    },
  };
}
