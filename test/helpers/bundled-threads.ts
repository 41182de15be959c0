import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads, { Worker, type WorkerOptions } from 'node:worker_threads';
import { packageDir } from './folder.ts';
import type { Beginning } from './renewed-thread.ts';
import {
  compilerUse,
  endingUse,
  evaluatorUse,
  keepThread,
  readerUse,
  servingUse,
  takeThread,
  writerUse,
} from './kept-threads.ts';

const folder = process.env['SUITE_THREADS'] ?? '';

/** Whether the run has bundles of the program's threads. */
export const hasBundle: boolean = folder !== '';

const renewedThread = new URL('renewed-thread.ts', import.meta.url);
const fromBundle = new AsyncLocalStorage<true>();

threads.Worker = class extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    const bundle = fromBundle.getStore() === undefined ? undefined : bundleOf(file);
    const use = bundle === undefined ? undefined : useOf(bundle, options);
    const again = use === undefined ? undefined : takeThread(use.key);
    if (use?.beginning !== undefined) again?.postMessage(use.beginning);
    // A constructor that returns an object makes that one; `super` would start a thread.
    if (again !== undefined) return again;
    super(use?.thread ?? bundle ?? file, options);
    if (use === undefined) return;
    keepThread(this, use.key, use.make());
    if (use.beginning !== undefined) this.postMessage(use.beginning);
  }
};
syncBuiltinESMExports();

interface KeptUse {
  /** Threads of the same key serve each other's owners. */
  readonly key: string;
  readonly make: typeof writerUse;
  /** The module of the thread, where it is not the one that was asked for. */
  readonly thread?: URL;
  /** What the thread is told first. */
  readonly beginning?: Beginning;
}

// Threads that answer one job after the other and keep nothing of it: verifiers, parsers of large bodies and deliveries.
const serving = /\/(?:verify-service\/worker|large-body-worker|normalizer-worker)\.mjs$/;

function useOf({ href, pathname }: URL, { name, workerData: data }: WorkerOptions = {}): KeptUse | undefined {
  if (name === 'writer') return { key: 'writer', make: writerUse };
  if (serving.test(pathname)) return { key: pathname, make: servingUse };
  if (pathname.endsWith('/policy/toolchain/worker.mjs')) {
    const { path = '' } = (data ?? {}) as { readonly path?: string };
    return { key: `compiler ${path}`, make: compilerUse };
  }
  const renewed = (key: string, make: typeof writerUse, reads = {}): KeptUse => {
    const beginning = { begin: href, data: data as unknown, ...reads };
    return { key, make, thread: renewedThread, beginning };
  };
  if (pathname.endsWith('/policy/evaluator/worker.mjs')) return renewed('evaluator', evaluatorUse);
  if (name === 'auditor') return renewed('auditor', endingUse, { reads: true });
  return isReaderOfFile(data) ? renewed('reader', readerUse, { reads: true }) : undefined;
}

function isReaderOfFile(data: unknown): boolean {
  const { reader } = (data ?? {}) as { readonly reader?: { readonly address?: unknown } };
  return reader !== undefined && reader.address === undefined;
}

/**
 * Starts the threads that something creates, at once or later, from the bundle of a whole run, as the servers of the run
 * are: a thread of the store loads three hundred files of the checkout. Not for stores of the tests' own, which share
 * classes with their threads.
 */
export function withBundledThreads<T>(create: () => Promise<T>): Promise<T> {
  return hasBundle ? fromBundle.run(true, create) : create();
}

function bundleOf(file: string | URL): URL | undefined {
  if (!(file instanceof URL)) return undefined;
  const bundle = join(folder, relative(packageDir, fileURLToPath(file)).replace(/\.ts$/, '.mjs'));
  return existsSync(bundle) ? pathToFileURL(bundle) : undefined;
}
