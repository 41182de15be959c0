import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads, { Worker, type WorkerOptions } from 'node:worker_threads';
import { packageDir } from './folder.ts';

const program = process.env['SUITE_PROGRAM'] ?? '';
let fromBundle = false;

threads.Worker = class extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super((fromBundle ? bundleOf(file) : undefined) ?? file, options);
  }
};
syncBuiltinESMExports();

/**
 * Starts the threads that something creates from the bundle of a whole run, as the servers of the run are: a thread of
 * the store loads three hundred files of the checkout. Not for stores of the tests' own, which share classes with their
 * threads.
 */
export async function withBundledThreads<T>(create: () => Promise<T>): Promise<T> {
  fromBundle = program !== '';
  try {
    return await create();
  } finally {
    fromBundle = false;
  }
}

function bundleOf(file: string | URL): URL | undefined {
  if (!(file instanceof URL)) return undefined;
  const bundle = join(dirname(program), relative(packageDir, fileURLToPath(file)).replace(/\.ts$/, '.mjs'));
  return existsSync(bundle) ? pathToFileURL(bundle) : undefined;
}
