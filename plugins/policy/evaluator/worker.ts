import { readlinkSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { evaluatorOf, type Evaluator } from './evaluate.ts';
import type { Asked, Evaluated, Loadable } from './question.ts';

/** A message from the pool: a revision to load or unload, or a question whose `id` comes back with the answer. */
export type ToWorker = { readonly load: Loadable } | { readonly unload: string } | (Asked & { readonly id: number });

/** What comes from a thread: that it runs, then answers. */
export type FromWorker = { readonly running: true } | Answered;

/** The answer to a question. */
export interface Answered {
  readonly id: number;
  readonly took_ms: number;
  /** CPU time of the evaluation, of the first one of a thread: the pool has not seen the thread before it. */
  readonly cpu_ms?: number;
  readonly outcome: Evaluated;
}

// [0]: 1 while an evaluation runs. [1]: the system's number of this thread, 0 when unknown. With both, the pool can
// distinguish a running policy from a thread that waits for the processor.
const flag = new Int32Array((workerData as { readonly flag: SharedArrayBuffer }).flag);
Atomics.store(flag, 1, ownNumber());
let isFirst = true;
const loaded = new Map<string, Evaluator>();

parentPort?.on('message', (message: ToWorker) => {
  if ('load' in message) return void loaded.set(message.load.revision, evaluatorOf(message.load));
  if ('unload' in message) return void loaded.delete(message.unload);
  Atomics.store(flag, 0, 1);
  const cpu = isFirst ? process.threadCpuUsage() : undefined;
  isFirst = false;
  const begun = performance.now();
  const outcome = answerTo(message);
  Atomics.store(flag, 0, 0);
  const took_ms = performance.now() - begun;
  const answer: Answered = { id: message.id, took_ms, outcome };
  parentPort?.postMessage(cpu === undefined ? answer : { ...answer, cpu_ms: usedSince(cpu) });
});
parentPort?.postMessage({ running: true } satisfies FromWorker);

function usedSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
}

function ownNumber(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return 0;
  }
}

function answerTo({ revision, ...question }: Asked): Evaluated {
  const evaluator = loaded.get(revision);
  if (evaluator === undefined) return { fault: 'policy_error', detail: 'the revision is not loaded' };
  return evaluator.evaluate(question);
}
