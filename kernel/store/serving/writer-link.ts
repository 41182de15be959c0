import type { MessagePort, Worker } from 'node:worker_threads';
import { pack, unpack, type Answer, type Batch, type Failure, type FromWriter, type ToWriter } from '../message.ts';
import type { EngineEvent, OperationTable, WriterData } from '../message.ts';
import { startThread } from '../threads/thread-start.ts';

interface WriterOptions {
  readonly data: WriterData;
  /** Ports in `data.shares`. */
  readonly transfer?: readonly MessagePort[];
  onAnswer(answer: Answer): void;
  /** Called with what the engine reports. What was posted while the database is away is answered once it is back. */
  onEvent(event: EngineEvent): void;
  /** Called when the thread has ended after it was ready, on request or by itself: nothing is answered any more. */
  onEnd(end: WriterEnd): void;
}

/** Why a writer ended. */
export interface WriterEnd {
  readonly reason: string;
  /** Absent: it was told to end. */
  readonly failure?: Failure;
}

/** A running writer thread. */
export interface WriterLink {
  readonly installation: string;
  readonly operations: OperationTable;
  /** Sends one batch. Throws when it cannot be cloned. */
  post(batch: Batch): void;
  /** Makes the writer empty its log and close; resolves when the thread has ended. */
  close(): Promise<void>;
}

let prepared: Worker | undefined;

/** Begins to load a writer thread for the next `startWriter`; `list`: address of the list of store modules. */
export function prepareWriter(list: string | undefined): void {
  if (prepared !== undefined) return;
  const worker = startThread('writer', { list });
  const gone = (): void => {
    if (prepared === worker) prepared = undefined;
  };
  // The next `startWriter` reports what is wrong.
  worker.once('error', gone);
  worker.once('exit', gone);
  worker.unref();
  prepared = worker;
}

/** Starts the writer thread; resolves when the store is open. Rejects with the error that stopped it. */
export function startWriter({ data, transfer = [], onEnd, ...told }: WriterOptions): Promise<WriterLink> {
  const worker = prepared ?? startThread('writer', { list: data.list });
  prepared = undefined;
  worker.ref();
  const { promise, resolve, reject } = Promise.withResolvers<WriterLink>();
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>();
  let ready = false;
  let end: WriterEnd = { reason: 'the writer thread stopped', failure: { kind: 'defect', text: 'no last words' } };
  const close = (): Promise<void> => {
    worker.postMessage({ kind: 'close' } satisfies ToWriter);
    return exited;
  };
  worker.on('message', (message: FromWriter) => {
    if (message.kind === 'answer') told.onAnswer(message);
    else if (message.kind === 'ready') {
      ready = true;
      const { installation, operations } = message;
      resolve({ installation, operations, post: (batch) => worker.postMessage(batch), close });
    } else if ('reason' in message) {
      end = message;
      // The thread has released its files; a store module may still hold a resource that keeps the thread alive.
      void worker.terminate();
    } else told.onEvent(message);
  });
  worker.on('error', (error) => (end = { reason: 'the writer thread failed', failure: pack(error) }));
  worker.on('exit', () => {
    exit();
    if (ready) onEnd(end);
    else reject(bootError(end));
  });
  worker.postMessage({ kind: 'open', data } satisfies ToWriter, transfer);
  return promise;
}

function bootError({ reason, failure }: WriterEnd): Error {
  if (failure === undefined) return new Error(reason);
  return failure.kind === 'defect' ? new Error(`${reason}: ${failure.text}`) : unpack(failure);
}
