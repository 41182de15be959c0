import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads, { Worker, type WorkerOptions } from 'node:worker_threads';
import type { FromWriter, ToWriter } from '../../kernel/store/message.ts';
import { packageDir } from './folder.ts';

const program = process.env['SUITE_PROGRAM'] ?? '';
const fromBundle = new AsyncLocalStorage<true>();
const closedWriters = new Set<Worker>();

threads.Worker = class extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    const bundle = fromBundle.getStore() === undefined ? undefined : bundleOf(file);
    const isWriter = bundle !== undefined && options?.name === 'writer';
    const [closed] = isWriter ? closedWriters : [];
    // A constructor that returns an object makes that one; `super` would start a thread.
    if (closed !== undefined) {
      closedWriters.delete(closed);
      return closed;
    }
    super(bundle ?? file, options);
    if (isWriter) keepWhenClosed(this);
  }
};
syncBuiltinESMExports();

/**
 * Keeps a writer thread that has closed its file for the next platform of the process: to start one, and to load the
 * modules of the stores, takes half of what a platform costs. One that ended in any other way is not kept.
 */
function keepWhenClosed(writer: Worker): void {
  const terminate = writer.terminate.bind(writer);
  const post = writer.postMessage.bind(writer);
  let [hasFile, isClosed] = [false, false];
  const hear = ({ kind }: FromWriter): void => void (isClosed = kind === 'closed');
  writer.on('message', hear);
  writer.postMessage = (message: ToWriter, transfer?: Parameters<typeof post>[1]) => {
    if (message.kind === 'open') hasFile = message.data.address === undefined;
    post(message, transfer);
  };
  writer.terminate = () => {
    if (!isClosed || !hasFile) return terminate();
    isClosed = false;
    writer.emit('exit', 0);
    // Not all: Node has listeners of its own.
    for (const event of ['message', 'error', 'exit']) writer.removeAllListeners(event);
    writer.on('message', hear);
    writer.on('error', () => closedWriters.delete(writer));
    writer.unref();
    closedWriters.add(writer);
    return Promise.resolve(0);
  };
}

/**
 * Starts the threads that something creates, at once or later, from the bundle of a whole run, as the servers of the run
 * are: a thread of the store loads three hundred files of the checkout. Not for stores of the tests' own, which share
 * classes with their threads.
 */
export function withBundledThreads<T>(create: () => Promise<T>): Promise<T> {
  return program === '' ? create() : fromBundle.run(true, create);
}

function bundleOf(file: string | URL): URL | undefined {
  if (!(file instanceof URL)) return undefined;
  const bundle = join(dirname(program), relative(packageDir, fileURLToPath(file)).replace(/\.ts$/, '.mjs'));
  return existsSync(bundle) ? pathToFileURL(bundle) : undefined;
}
