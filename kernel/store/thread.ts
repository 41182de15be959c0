import { parentPort, workerData } from 'node:worker_threads';
import type { ReaderData } from './message.ts';
import type { BridgeData } from './postgres/bridge.ts';
import { serveReader } from './reader.ts';
import { serveWriter } from './writer.ts';

// The file of all threads of the store, so that the executable holds the store modules once. The writer starts without
// its data: it begins to load before anybody knows which store it will open.
const data = workerData as
  { readonly list: string | undefined } | { readonly reader: ReaderData } | { readonly bridge: BridgeData };
if (parentPort === null) throw new Error('thread.ts runs as a thread only');
if ('list' in data) serveWriter(parentPort, data.list);
// The executable's modules await nothing at their top.
else if ('bridge' in data) void import('./postgres/bridge.ts').then(({ serveBridge }) => serveBridge(data.bridge));
else serveReader(data.reader);
