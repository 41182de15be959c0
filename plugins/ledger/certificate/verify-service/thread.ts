import { Worker } from 'node:worker_threads';
import { createThread, type Thread } from '../../../../kernel/index.ts';
import type { VerifyDone, VerifyJob } from './worker.ts';

/** Creates the thread that verifies large certificates off the main thread; it starts with the first job. */
export function createLargeVerifier(): Thread<VerifyJob, VerifyDone> {
  return createThread({
    start: () => new Worker(new URL('./worker.ts', import.meta.url), { name: 'certificates' }),
    waiting: 8,
    limitMs: 10_000,
  });
}
