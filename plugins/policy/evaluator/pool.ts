import type { Loadable, PoolAnswer, Question, Waiting } from './question.ts';
import { Thread } from './thread.ts';

/** Threads that evaluate policies, each under a deadline. */
export type Pool = ReturnType<typeof createPool>;

/** Bounds of a pool. */
export interface PoolOptions {
  readonly threads: number;
  readonly deadlineMs: number;
  /**
   * Evaluates a question that ran out of time again, once with this longer deadline, so that its code is compiled, and
   * once with the deadline: the answer is then that of a thread that has decided before.
   */
  readonly warmUpMs?: number;
  /** Most waiting questions: in total and per principal. */
  readonly queue: { readonly all: number; readonly each: number };
}

/**
 * Creates a pool. Its first thread starts with the first question, another one when all that run are busy; the question
 * goes to the one that is free first.
 */
export function createPool(options: PoolOptions) {
  const revisions = new Map<string, Loadable>();
  const queues = createQueues(options.queue);
  const free = (): void => next();
  const { deadlineMs } = options;
  const threads = Array.from({ length: options.threads }, () => new Thread({ revisions, deadlineMs, free }));
  let stopped = false;
  const next = (): void => {
    const running = threads.filter((thread) => thread.running);
    for (const thread of running.length > 0 ? running : threads.slice(0, 1))
      // A thread that cannot be started answers at once and is free for the next question.
      while (!thread.busy) {
        const question = takeAsked(queues);
        if (question === undefined) return;
        thread.run(question);
      }
    if (queues.size() > 0) threads.find((thread) => !thread.running && !thread.busy)?.warm();
  };
  const ask: Ask = (question) =>
    new Promise((answer) => {
      if (stopped || !queues.put({ ...question, answer }))
        return answer({ fault: 'policy_overloaded', detail: 'too many questions wait' });
      next();
    });
  const { warmUpMs } = options;
  return {
    /** Loads a revision into all threads, present and future. */
    load(loadable: Loadable) {
      revisions.set(loadable.revision, loadable);
      threads.forEach((thread) => thread.send({ load: loadable }));
    },
    /** Starts the first thread, so that the first question does not wait for it. */
    warm: () => threads[0]?.warm(),
    /** Unloads a revision from all threads; running evaluations finish on it. */
    unload(revision: string) {
      revisions.delete(revision);
      threads.forEach((thread) => thread.send({ unload: revision }));
    },
    /** Evaluates a question; never rejects. Questions queue per principal and are served round robin. */
    evaluate: warmUpMs === undefined ? ask : (question: Question) => askAgain(ask, question, warmUpMs),
    /** Number of waiting questions. */
    queued: () => queues.size(),
    async stop() {
      stopped = true;
      for (let left = queues.take(); left !== undefined; left = queues.take())
        left.answer({ fault: 'policy_overloaded', detail: 'the engine stops' });
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}

type Ask = (question: Question) => Promise<PoolAnswer>;

async function askAgain(ask: Ask, question: Question, warmUpMs: number): Promise<PoolAnswer> {
  const first = await ask(question);
  if (!isLate(first)) return first;
  return isLate(await ask({ ...question, deadlineMs: warmUpMs })) ? first : ask(question);
}

function isLate(answer: PoolAnswer): boolean {
  return 'fault' in answer && answer.fault === 'policy_timeout';
}

// Asks `refused` first: earlier timeouts may have opened the breaker while the question waited.
function takeAsked(queues: Queues): Waiting | undefined {
  for (;;) {
    const question = queues.take();
    const refused = question?.refused?.();
    if (question === undefined || refused === undefined) return question;
    question.answer(refused);
  }
}

type Queues = ReturnType<typeof createQueues>;

// Round robin: each turn takes one question of the next principal, so no principal blocks another.
function createQueues({ all, each }: PoolOptions['queue']) {
  const queues = new Map<string, Waiting[]>();
  let size = 0;
  return {
    put(question: Waiting) {
      const queue = queues.get(question.principal) ?? [];
      if (size >= all || queue.length >= each) return false;
      queue.push(question);
      queues.set(question.principal, queue);
      size += 1;
      return true;
    },
    take() {
      const [first] = queues;
      if (first === undefined) return undefined;
      const [principal, queue] = first;
      const question = queue.shift();
      queues.delete(principal);
      if (queue.length > 0) queues.set(principal, queue);
      size -= 1;
      return question;
    },
    size: () => size,
  };
}
