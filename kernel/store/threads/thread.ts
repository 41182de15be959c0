import { parentPort, workerData } from 'node:worker_threads';
import { loadEngine } from '../engine.ts';
import type { ReaderData } from '../message.ts';
import type { ThreadData } from './thread-start.ts';

// One file, so that the executable holds the store modules once. The writer loads before its store is known.
const data = workerData as ThreadData;
if (parentPort === null) throw new Error('thread.ts runs as a thread only');
const port = parentPort;
// Each loads only what it needs. The executable's modules await nothing at their top.
if ('list' in data) void import('./writer.ts').then(({ serveWriter }) => serveWriter(port, data.list));
else if ('engine' in data) void loadEngine(data.engine).then((engine) => engine.serve(data.data));
else void import('./reader.ts').then(({ serveReader }) => serveReader(data.reader as ReaderData));
