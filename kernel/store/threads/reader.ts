import { join } from 'node:path';
import { serveThread } from '../../thread.ts';
import type { Connection } from '../contract.ts';
import { loadEngine } from '../engine.ts';
import { openReading, openScratch, storeFile } from '../sqlite/database.ts';
import type { ReaderData, ReadJob } from '../message.ts';
import { loadModules } from './modules.ts';

/** Serves as a reader thread of a store: opens it for reading at the first job, then answers one read per job. */
export function serveReader(data: ReaderData): void {
  // Loads the native part of the driver now: a thread that is ended while it does so aborts the whole process.
  if (data.address === undefined) openScratch().close();
  let opened: ReturnType<typeof open> | undefined;
  serveThread<ReadJob>(async ({ store, path, values }) => {
    const reads = (await (opened ??= open(data))).get(store);
    // The serving thread took the path from the same reads.
    const read = path.reduce((at, name) => (at as Record<string, unknown>)[name], reads);
    return (read as (...all: readonly unknown[]) => unknown)(...values);
  });
}

async function open({ stateDir, address, modules, list, writer }: ReaderData): Promise<ReadonlyMap<string, unknown>> {
  const loaded = await loadModules(modules, list);
  const connection: Connection =
    address === undefined
      ? openReading(join(stateDir, storeFile))
      : await (await loadEngine(address)).view(address, { serving: true, writer });
  return new Map(loaded.map((module) => [module.name, module.read(connection)]));
}
