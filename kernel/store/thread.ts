import { Worker } from 'node:worker_threads';

/** Names of the program's own threads; each is a file beside this one. */
export type ThreadName = 'writer';

const files: Readonly<Record<ThreadName, string>> = { writer: './writer.ts' };

/** Starts a thread of the program and hands it plain data as `workerData`. */
export function startThread(name: ThreadName, data: object): Worker {
  return new Worker(new URL(files[name], import.meta.url), { name, workerData: data });
}
