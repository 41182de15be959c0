import { Worker } from 'node:worker_threads';
import type { Unnumbered } from './signal-from-draft.ts';
import { normalize, type Normalized, type Stored } from './normalize.ts';

/** Normalises deliveries: small ones here, large ones in a thread, one after the other. */
export interface NormaliserThread {
  normalize(stored: Stored): Promise<Normalized>;
  stop(): Promise<void>;
}

/** Stored bodies above it are parsed in the thread. */
const smallBytes = 256 * 1024;

type Message =
  | { readonly kind: 'signals'; readonly signals: readonly Unnumbered[] }
  | { readonly kind: 'done'; readonly version: number }
  | { readonly kind: 'undecodable'; readonly undecodable: string; readonly detail: string; readonly version: number }
  | { readonly kind: 'failed'; readonly message: string };

/** Creates the normaliser; a delivery that takes longer than `limitMs` in the thread fails. */
export function createNormaliserThread(limitMs: number): NormaliserThread {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const end = async (): Promise<void> => {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  };
  const run = async (stored: Stored): Promise<Normalized> => {
    worker ??= startWorker((ended) => {
      if (worker === ended) worker = undefined;
    });
    try {
      return await ask(worker, stored, limitMs);
    } catch (error) {
      await end();
      throw error;
    }
  };
  return {
    normalize(stored) {
      if (stored.size <= smallBytes) return normalize(stored);
      const answer = last.then(() => run(stored));
      last = answer.catch(() => undefined);
      return answer;
    },
    stop: end,
  };
}

// It may also end between two deliveries: the next one starts another.
function startWorker(ended: (worker: Worker) => void): Worker {
  const made = new Worker(new URL('./normaliser-worker.ts', import.meta.url), {
    name: 'ingestion',
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  });
  made.unref();
  const gone = (): void => ended(made);
  made.on('error', gone).on('exit', gone);
  return made;
}

async function ask(worker: Worker, stored: Stored, limitMs: number): Promise<Normalized> {
  const signals: Unnumbered[] = [];
  let timer: NodeJS.Timeout | undefined;
  let take: ((message: Message) => void) | undefined;
  let fail: ((error: Error) => void) | undefined;
  let exit: (() => void) | undefined;
  try {
    return await new Promise<Normalized>((resolve, reject) => {
      fail = reject;
      exit = () => reject(new Error('the thread of the normaliser ended'));
      timer = setTimeout(() => reject(new Error(`the normaliser took longer than ${limitMs} ms`)), limitMs);
      take = (message) => {
        if (message.kind === 'signals') for (const signal of message.signals) signals.push(signal);
        else if (message.kind === 'done') resolve({ signals, version: message.version });
        else if (message.kind === 'failed') reject(new Error(message.message));
        else {
          const { undecodable, detail, version } = message;
          resolve({ undecodable, detail, version });
        }
      };
      worker.on('message', take).once('error', fail).once('exit', exit);
      worker.postMessage(stored);
    });
  } finally {
    clearTimeout(timer);
    if (take !== undefined) worker.off('message', take);
    if (fail !== undefined) worker.off('error', fail);
    if (exit !== undefined) worker.off('exit', exit);
  }
}
