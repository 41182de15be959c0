import { parentPort, workerData } from 'node:worker_threads';
import { loadEngine } from '../engine.ts';
import type { ReaderData } from '../message.ts';
import { serveReader } from './reader.ts';
import type { ThreadData } from './thread-start.ts';
import { serveWriter } from './writer.ts';

// The file of all threads of the store, so that the executable holds the store modules once. The writer starts without
// its data: it begins to load before anybody knows which store it will open.
const data = workerData as ThreadData;
if (parentPort === null) throw new Error('thread.ts runs as a thread only');
if ('list' in data) serveWriter(parentPort, data.list);
// The executable's modules await nothing at their top.
else if ('engine' in data) void loadEngine({ module: data.engine }).then((engine) => engine.serve(data.data));
else serveReader(data.reader as ReaderData);
