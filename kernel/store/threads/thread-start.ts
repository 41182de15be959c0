import { Worker, type MessagePort } from 'node:worker_threads';
import type { StoreAddress } from '../contract.ts';

/** What a thread of the store begins with: the address of the list of a writer, or a reader, or a thread of an engine. */
export type ThreadData =
  | { readonly list: string | undefined }
  | { readonly reader: unknown }
  | { readonly engine: Pick<StoreAddress, 'module' | 'list'>; readonly data: unknown };

/** Starts a thread of the store. */
export function startThread(name: string, workerData: ThreadData, transferList: readonly MessagePort[] = []): Worker {
  return new Worker(new URL('./thread.ts', import.meta.url), { name, workerData, transferList: [...transferList] });
}
