import { Worker } from 'node:worker_threads';
import { createThread } from '../../../../kernel/index.ts';
import { normalize, type Normalized, type Stored } from './normalize.ts';
import type { Unnumbered } from './signal-from-draft.ts';

/** Normalizes deliveries: small ones in this thread, large ones in a worker thread, one after the other. */
export type NormalizerThread = ReturnType<typeof createNormalizerThread>;

/** Answer of the thread; it sends the signals before the answer. */
export type ThreadAnswer = Exclude<Normalized, { readonly signals: unknown }> | { readonly version: number };

/** Larger stored bodies are parsed in the thread. */
const smallBytes = 256 * 1024;

/** Creates the thread; a delivery that takes longer than `limitMs` in it fails. */
export function createNormalizerThread(limitMs: number) {
  const start = (): Worker =>
    new Worker(new URL('./normalizer-worker.ts', import.meta.url), {
      name: 'ingestion',
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    });
  const thread = createThread<Stored, ThreadAnswer>({ start, waiting: Infinity, limitMs });
  return {
    async normalize(stored: Stored): Promise<Normalized> {
      if (stored.size <= smallBytes) return normalize(stored);
      const signals: Unnumbered[] = [];
      const answer = await thread.run(stored, (part: readonly Unnumbered[]) => {
        for (const signal of part) signals.push(signal);
      });
      return 'undecodable' in answer ? answer : { signals, version: answer.version };
    },
    stop: () => thread.stop(),
  };
}
