import { join } from 'node:path';
import type { AwaitableReads, Connection, Operations, Statement, Store, StoreModule } from '../contract.ts';
import type { ReaderData } from '../message.ts';
import { createReaderLink } from './reader-link.ts';
import { openReading, storeFile } from '../sqlite/database.ts';

/** The reads of an open store, for the thread that serves. */
export interface OpenReads extends Pick<Store, 'reads' | 'awaitedReads'> {
  /** Ends the start: from now on a read that a database does not answer in time rejects. */
  begin(): void;
  /** Rejects the reads that wait, and closes the connections. */
  close(): Promise<void>;
}

// Each has a connection of the database; a store on one disk would gain nothing by a second thread.
const readersOfDatabase = 2;

// No caller waits for a process that is starting. Where several start at once, one of them makes the tables, and a
// small machine takes long to open the connections of all.
const patienceMs = 60_000;

/**
 * Opens the reads of a store that the writer has opened. A store that is a file is read by a connection of this thread,
 * and by one more thread; a database of another process by threads alone.
 */
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
