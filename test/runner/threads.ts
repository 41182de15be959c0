import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import threads, { Worker, type WorkerOptions } from 'node:worker_threads';
import { packageDir } from '../../kernel/boot/config.ts';

// Loaded by mocha before the tests. In a whole run the threads of platforms in this process start from the bundle that
// the run has made (program.ts): loading their modules one by one was half of the cost of a start.
const program = process.env['SUITE_PROGRAM'];

if (program !== undefined) {
  const folder = dirname(program);
  threads.Worker = class extends Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(bundled(file, folder) ?? file, options);
    }
  };
  syncBuiltinESMExports();
}

function bundled(file: string | URL, folder: string): string | undefined {
  if (!(file instanceof URL) || !file.pathname.endsWith('.ts')) return undefined;
  const place = relative(packageDir, fileURLToPath(file)).replace(/\.ts$/, '.mjs');
  return existsSync(join(folder, place)) ? join(folder, place) : undefined;
}
