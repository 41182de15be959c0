import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

// Prints whether the driver of the store is in this process when a reader thread is ready for its first read.
const thread = new URL('../../../kernel/store/threads/thread.ts', import.meta.url);
const worker = new Worker(thread, { workerData: { reader: { stateDir: '.', modules: [] } } });
await once(worker, 'message');
const { sharedObjects } = process.report.getReport() as unknown as { readonly sharedObjects: readonly string[] };
console.log(sharedObjects.some((path) => path.includes('better-sqlite3')) ? 'loaded' : 'not loaded');
await worker.terminate();
