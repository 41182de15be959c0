import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { serveThread } from '../tools/thread.ts';
import { openReading, storeFile } from './database.ts';
import type { ReaderData, ReadJob } from './message.ts';
import { loadModules } from './modules.ts';

/** The reader thread: opens the store for reading at its first job, then answers one read per job. */
const { stateDir, modules, list } = workerData as ReaderData;

async function open(): Promise<ReadonlyMap<string, unknown>> {
  const loaded = await loadModules(modules, list);
  const connection = openReading(join(stateDir, storeFile));
  return new Map(loaded.map((module) => [module.name, module.read(connection)]));
}

let opened: ReturnType<typeof open> | undefined;

serveThread<ReadJob>(async ({ store, path, values }) => {
  const reads = (await (opened ??= open())).get(store);
  // The serving thread took the path from the same reads.
  const read = path.reduce((at, name) => (at as Record<string, unknown>)[name], reads) as (
    ...all: unknown[]
  ) => unknown;
  return read(...values);
});
