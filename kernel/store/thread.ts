import { parentPort, workerData } from 'node:worker_threads';
import type { ReaderData } from './message.ts';
import { serveReader } from './reader.ts';
import { serveWriter } from './writer.ts';

// The file of both threads of the store, so that the executable holds the store modules once. Only the reader starts
// with data: the writer begins to load before anybody knows which store it will open.
const data = workerData as ReaderData | null | undefined;
if (parentPort === null) throw new Error('thread.ts runs as a thread only');
if (data === null || data === undefined) serveWriter(parentPort);
else serveReader(data);
