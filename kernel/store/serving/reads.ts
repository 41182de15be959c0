import { join } from 'node:path';
import type {
  AwaitableReads,
  Connection,
  Operations,
  Statement,
  Store,
  StoreModule,
  AwaitedReads,
} from '../contract.ts';
import type { ReaderData, ReadJob } from '../message.ts';
import { openReading, storeFile } from '../sqlite/database.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { PlatformError } from '../../error.ts';
import { createThread, type Thread } from '../../thread.ts';
import { startThread } from '../threads/thread-start.ts';

/** The reads of an open store, for the thread that serves. */
export interface OpenReads extends Pick<Store, 'reads' | 'awaitedReads'> {
  /** Ends the start: from now on a read that a database does not answer in time rejects. */
  begin(): void;
  /** Rejects the reads that wait, and closes the connections. */
  close(): Promise<void>;
}

// Each has a connection of the database; a store on one disk would gain nothing by a second thread.
const readersOfDatabase = 2;

// Where several start at once, a small machine takes long to open the connections of all.
const patienceMs = 60_000;

/** Opens the reads of a store that the writer has opened; those of a file also by a connection of this thread. */
export function openReads(data: ReaderData): OpenReads {
  return data.address === undefined ? fileReads(data) : databaseReads(data);
}

function fileReads(data: ReaderData): OpenReads {
  const database = openReading(join(data.stateDir, storeFile));
  const aside = createReaderLink(data, 1);
  return {
    // The value itself is an answer that the type allows.
    reads: <R>(module: StoreModule<Operations, R>) => module.read(database) as AwaitableReads<R>,
    awaitedReads: (module) => aside.awaited(module.name, module.read(database)),
    begin: () => undefined,
    async close() {
      await aside.stop();
      database.close();
    },
  };
}

function databaseReads(data: ReaderData): OpenReads {
  let patientUntil = performance.now() + patienceMs;
  const readers = createReaderLink(data, readersOfDatabase, () => performance.now() < patientUntil);
  const awaited: Store['awaitedReads'] = (module) => readers.awaited(module.name, module.read(withoutEngine));
  // A promise is an answer that the type allows.
  const reads = awaited as unknown as Store['reads'];
  const stopWaiting = (): void => void (patientUntil = 0);
  return {
    ...{ reads, awaitedReads: awaited, begin: stopWaiting },
    close() {
      stopWaiting();
      return readers.stop();
    },
  };
}

/** A connection that only lets reads be built, to learn their names: each of its statements throws. */
const withoutEngine: Connection = {
  prepare(sql): Statement {
    const refuse = (): never => {
      throw new Error(`a read that is only named was called: ${sql}`);
    };
    return { queue: refuse, must: refuse, run: refuse, get: refuse, all: refuse };
  },
};

interface Reader {
  readonly thread: Thread<ReadJob, unknown>;
  /** Reads that are not answered yet. */
  waiting: number;
  /** Its thread runs: a read does not wait for its start. */
  ready: boolean;
}

// A read is bounded to milliseconds: one that takes so long waits for a disk or a database that does not answer.
const limitMs = 10_000;
const waiting = 256;
// A thread with its connection takes a quarter of a second of a processor to start, and seconds on a busy machine.
const enoughForOne = 4;
const retryMs = 250;

// Spreads reads over up to `count` threads: of more than a few at once, one also goes to a thread that is not ready, to
// start it; no answer waits for that. While `patient`, it repeats unanswered reads.
export function createReaderLink(data: ReaderData, count: number, patient = (): boolean => false) {
  const start = () => startThread('reader', { reader: data });
  const readers = Array.from({ length: count }, (): Reader => ({
    ...{ thread: createThread({ start, waiting, limitMs }), waiting: 0, ready: false },
  }));
  const answer = async (reader: Reader, job: ReadJob): Promise<unknown> => {
    reader.waiting++;
    try {
      const result = await reader.thread.run(job);
      reader.ready = true;
      return result;
    } catch (error) {
      // A thread that ended, or did not answer in time, starts again; other errors are its answers.
      reader.ready &&= error instanceof PlatformError && error.code !== 'overloaded';
      throw error;
    } finally {
      reader.waiting--;
    }
  };
  const once = (job: ReadJob): Promise<unknown> => {
    const load = (one: Reader): number => (one.ready ? one.waiting : Infinity);
    const reader = readers.reduce((found, one) => (load(one) < load(found) ? one : found));
    const idle = readers.find((one) => !one.ready && one.waiting === 0);
    if (idle !== undefined && reader.waiting >= enoughForOne) answer(idle, job).catch(() => undefined);
    return answer(reader, job);
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

function passes(error: unknown): boolean {
  return error instanceof PlatformError && ['overloaded', 'storage_unavailable'].includes(error.code);
}
