import { Worker } from 'node:worker_threads';
import { createThread, type Thread } from '../../../../kernel/index.ts';
import type { VerifyDone, VerifyJob } from './verify-worker.ts';

/** Creates the verifier of what is large, beside the thread that serves; it starts with the first job. */
export function createLargeVerifier(): Thread<VerifyJob, VerifyDone> {
  return createThread({
    start: () => new Worker(new URL('./verify-worker.ts', import.meta.url), { name: 'certificates' }),
    waiting: 8,
    limitMs: 10_000,
  });
}
