import { join } from 'node:path';
import { serveThread } from '../../thread.ts';
import type { Connection } from '../contract.ts';
import { loadEngine } from '../engine.ts';
import { openReading, openScratch, storeFile } from '../sqlite/database.ts';
import type { ReaderData, ReadJob } from '../message.ts';
import { loadModules } from './modules.ts';

/** Serves as a reader thread of a store: opens it for reading at the first job, then answers one read per job. */
export async function serveReader(data: ReaderData): Promise<void> {
  // Now: a thread that is ended while it loads the native part of a driver aborts the whole process.
  if (data.address === undefined) openScratch().close();
  else await loadEngine(data.address);
  // Before it gives way to busy threads: after that, loading could take longer than a read may.
  const modules = await loadModules(data.modules, data.list);
  const readsOf = (connection: Connection) => new Map(modules.map((of) => [of.name, of.read(connection)]));
  let opened: ReturnType<typeof readsOf> | undefined;
  serveThread<ReadJob>(async ({ store, path, values }) => {
    // Jobs come one at a time; one that cannot open the store leaves that to the next.
    opened ??= readsOf(await open(data));
    // The serving thread took the path from the same reads.
    const read = path.reduce((at, name) => (at as Record<string, unknown>)[name], opened.get(store));
    return (read as (...all: readonly unknown[]) => unknown)(...values);
  });
}

async function open({ stateDir, address, writer }: ReaderData): Promise<Connection> {
  if (address === undefined) return openReading(join(stateDir, storeFile));
  return (await loadEngine(address)).view(address, { serving: true, writer });
}
