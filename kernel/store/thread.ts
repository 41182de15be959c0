import { parentPort, workerData } from 'node:worker_threads';
import type { ReaderData } from './message.ts';
import type { BridgeData } from './postgres/bridge.ts';

// The file of all threads of the store, so that the executable holds the store modules once. The writer starts without
// data: it begins to load before anybody knows which store it will open.
const data = workerData as { readonly reader: ReaderData } | { readonly bridge: BridgeData } | null | undefined;
if (parentPort === null) throw new Error('thread.ts runs as a thread only');
const port = parentPort;
// Each loads only what it needs: a bridge needs no store module. The executable's modules await nothing at their top.
if (data === null || data === undefined) void import('./writer.ts').then(({ serveWriter }) => serveWriter(port));
else if ('bridge' in data) void import('./postgres/bridge.ts').then(({ serveBridge }) => serveBridge(data.bridge));
else void import('./reader.ts').then(({ serveReader }) => serveReader(data.reader));
