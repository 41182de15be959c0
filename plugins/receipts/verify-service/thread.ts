import { Worker } from 'node:worker_threads';
import { createThread } from '../../../kernel/index.ts';
import type { VerifyInput } from './input.ts';
import type { VerifyJob } from './worker.ts';
import type { Report } from '../verifier/report.ts';
import type { Trust } from '../verifier/trust.ts';

/** Verifies large inputs off the main thread. */
export type LargeVerifier = ReturnType<typeof createLargeVerifier>;

/** Creates the verifier of large inputs; its thread starts with the first job. */
export function createLargeVerifier(trust: Trust) {
  const thread = createThread<VerifyJob, Report>({
    start: () => new Worker(new URL('./worker.ts', import.meta.url), { name: 'verifier' }),
    waiting: 8,
    limitMs: 10_000,
  });
  return {
    // A copy with plain members: the members of `trust` are getters that follow the keys.
    verifyLarge: (input: VerifyInput) => thread.run({ input, trust: { ...trust } }),
    stop: () => thread.stop(),
  };
}
