import { setTimeout as delay } from 'node:timers/promises';
import { PlatformError } from '../../error.ts';
import { createThread, type Thread } from '../../thread.ts';
import type { AwaitedReads } from '../contract.ts';
import type { ReaderData, ReadJob } from '../message.ts';
import { startThread } from '../threads/thread-start.ts';

interface Reader {
  readonly thread: Thread<ReadJob, unknown>;
  /** Reads that are not answered yet. */
  waiting: number;
  started: boolean;
}

// A read is bounded to milliseconds: one that takes so long waits for a disk or a database that does not answer.
const limitMs = 10_000;
const waiting = 256;
// A thread with its connection takes a quarter of a second of a processor to start: a few reads at once are no reason.
const enoughForOne = 4;
const retryMs = 250;

/**
 * Creates the link to the reader threads of a store; each starts with its first read. The reads are spread over `count` of them. While `patient` says so, a
 * read that the store could not answer in time is asked again.
 */
export function createReaderLink(data: ReaderData, count: number, patient = (): boolean => false) {
  const readers = Array.from({ length: count }, (): Reader => ({
    ...{ thread: startReader(data), waiting: 0, started: false },
  }));
  const once = async (job: ReadJob): Promise<unknown> => {
    const reader = readerFor(readers);
    reader.waiting++;
    reader.started = true;
    try {
      return await reader.thread.run(job);
    } finally {
      reader.waiting--;
    }
  };
  const run = async (job: ReadJob): Promise<unknown> => {
    for (;;)
      try {
        return await once(job);
      } catch (error) {
        if (!patient() || !passes(error)) throw error;
        await delay(retryMs);
      }
  };
  const awaited = (store: string, path: readonly string[], reads: unknown): unknown => {
    if (typeof reads === 'function') return (...values: unknown[]) => run({ store, path, values });
    const members = Object.entries(reads as object).map(
      ([name, member]) => [name, awaited(store, [...path, name], member)] as const,
    );
    return Object.fromEntries(members);
  };
  return {
    /** Makes, of the reads of a store module, those that a thread answers: only the results are promises. */
    awaited: <R>(store: string, reads: R) => awaited(store, [], reads) as AwaitedReads<R>,
    stop: async () => void (await Promise.all(readers.map(({ thread }) => thread.stop()))),
  };
}

function readerFor(readers: readonly Reader[]): Reader {
  const least = (list: readonly Reader[]) => list.reduce((found, one) => (one.waiting < found.waiting ? one : found));
  const running = readers.filter(({ started }) => started);
  return running.length > 0 && least(running).waiting < enoughForOne ? least(running) : least(readers);
}

function passes(error: unknown): boolean {
  return error instanceof PlatformError && ['overloaded', 'storage_unavailable'].includes(error.code);
}

function startReader(data: ReaderData): Thread<ReadJob, unknown> {
  return createThread({
    start: () => startThread('reader', { reader: data }),
    waiting,
    limitMs,
  });
}
