import { Worker } from 'node:worker_threads';
import { createThread } from '../tools/thread.ts';
import type { AwaitedReads } from './contract.ts';
import type { ReaderData, ReadJob } from './message.ts';

/** The reader thread as the store uses it; it starts with the first read. */
export interface ReaderLink {
  /** Makes, of the reads of a store module, those that the thread answers. */
  awaited<R>(store: string, reads: R): AwaitedReads<R>;
  stop(): Promise<void>;
}

// A read is bounded to milliseconds: one that takes so long waits for a disk that does not answer.
const limitMs = 10_000;
const waiting = 256;

/** Creates the link to the reader thread of a store. */
export function createReaderLink(data: ReaderData): ReaderLink {
  const thread = createThread<ReadJob, unknown>({
    start: () => new Worker(new URL('./thread.ts', import.meta.url), { name: 'reader', workerData: data }),
    waiting,
    limitMs,
  });
  const awaited = (store: string, path: readonly string[], reads: unknown): unknown => {
    if (typeof reads === 'function') return (...values: unknown[]) => thread.run({ store, path, values });
    const members = Object.entries(reads as object).map(
      ([name, member]) => [name, awaited(store, [...path, name], member)] as const,
    );
    return Object.fromEntries(members);
  };
  return {
    // The same names with the same arguments: only the results are promises.
    awaited: <R>(store: string, reads: R) => awaited(store, [], reads) as AwaitedReads<R>,
    stop: () => thread.stop(),
  };
}
