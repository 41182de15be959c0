import { Worker } from 'node:worker_threads';
import type { Progress } from '../../../kernel/index.ts';

/** A file that is written by work that blocks its thread. */
export interface Growing {
  /** What the work does, for the label of the bar. */
  readonly what: string;
  readonly path: string;
  /** Size of the whole file, or more. */
  readonly bytes: number;
}

// A smaller file is written within two seconds.
const leastBytes = 64 * 1024 ** 2;
const eraseLine = '\r\u001b[K';

/** Does work that blocks this thread while it writes a file. With a bar another thread shows how large the file is. */
export async function whileGrowing<T>(bar: Progress | undefined, growing: Growing, work: () => T): Promise<T> {
  if (bar === undefined || growing.bytes < leastBytes) return work();
  bar.clear();
  const { columns } = process.stderr;
  const workerData = { ...growing, columns };
  const worker = new Worker(new URL('./growth-worker.ts', import.meta.url), { name: 'progress', workerData });
  // The work goes on without the bar.
  worker.on('error', () => undefined);
  try {
    return work();
  } finally {
    await worker.terminate();
    process.stderr.write(eraseLine);
  }
}
