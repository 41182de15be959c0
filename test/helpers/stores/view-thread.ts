import { parentPort, workerData } from 'node:worker_threads';
import { viewStore, type StorePlace } from '../../../kernel/maintenance.ts';
import { shelf } from './shelf.ts';

// A thread beside the one that serves, as the auditor is: answers each message with the ids on the shelf, or why it
// cannot read them.
const view = await viewStore(workerData as StorePlace, { serving: true });
const reads = view === undefined ? undefined : shelf.read(view);
parentPort?.on('message', () => {
  try {
    parentPort?.postMessage(reads?.ids());
  } catch (error) {
    parentPort?.postMessage(String(error));
  }
});
