import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads, { Worker, type WorkerOptions } from 'node:worker_threads';
import { packageDir } from './folder.ts';
import { compilerUse, keepThread, takeThread, writerUse } from './kept-threads.ts';

const program = process.env['SUITE_PROGRAM'] ?? '';

/** Whether the run has a bundle of the program. */
export const hasBundle: boolean = program !== '';

const fromBundle = new AsyncLocalStorage<true>();

threads.Worker = class extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    const bundle = fromBundle.getStore() === undefined ? undefined : bundleOf(file);
    const use = bundle === undefined ? undefined : useOf(bundle, options);
    const again = use === undefined ? undefined : takeThread(use.key);
    // A constructor that returns an object makes that one; `super` would start a thread.
    if (again !== undefined) return again;
    super(bundle ?? file, options);
    if (use !== undefined) keepThread(this, use.key, use.make());
  }
};
syncBuiltinESMExports();

function useOf({ pathname }: URL, options: WorkerOptions = {}) {
  if (options.name === 'writer') return { key: 'writer', make: writerUse };
  const { path = '' } = (options.workerData ?? {}) as { readonly path?: string };
  return pathname.endsWith('/policy/toolchain/worker.mjs') ? { key: `compiler ${path}`, make: compilerUse } : undefined;
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
  const bundle = join(dirname(program), relative(packageDir, fileURLToPath(file)).replace(/\.ts$/, '.mjs'));
  return existsSync(bundle) ? pathToFileURL(bundle) : undefined;
}
