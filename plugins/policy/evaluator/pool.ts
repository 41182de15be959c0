import type { Loadable, PoolAnswer, Question, Waiting } from './question.ts';
import { Thread } from './thread.ts';

/** Threads that evaluate policies, each under a deadline. */
export interface Pool {
  /** Makes a revision known to all threads, present and future. */
  load(loadable: Loadable): void;
  /** Starts the first thread, so that the first question need not wait for it. */
  warm(): void;
  /** Forgets a revision; what is under way or queued still ends on it. */
  unload(revision: string): void;
  /** Evaluates; never rejects. Questions queue per principal and are served round robin. */
  evaluate(question: Question): Promise<PoolAnswer>;
  /** Questions that wait. */
  queued(): number;
  stop(): Promise<void>;
}

/** Bounds of a pool. */
export interface PoolOptions {
  readonly threads: number;
  readonly deadlineMs: number;
  /** Questions that may wait, of all and of one principal. */
  readonly queue: { readonly all: number; readonly each: number };
}

/** Creates a pool; its threads start with the first question. */
export function createPool(options: PoolOptions): Pool {
  const revisions = new Map<string, Loadable>();
  const queues = createQueues(options.queue);
  const free = (): void => next();
  const { deadlineMs } = options;
  const threads = Array.from({ length: options.threads }, () => new Thread({ revisions, deadlineMs, free }));
  let stopped = false;
  const next = (): void => {
    for (const thread of threads)
      // One that cannot be started answers at once and is free for the next.
      while (!thread.busy) {
        const question = takeAsked(queues);
        if (question === undefined) return;
        thread.run(question);
      }
  };
  return {
    load(loadable) {
      revisions.set(loadable.revision, loadable);
      threads.forEach((thread) => thread.send({ load: loadable }));
    },
    warm: () => threads[0]?.warm(),
    unload(revision) {
      revisions.delete(revision);
      threads.forEach((thread) => thread.send({ unload: revision }));
    },
    evaluate: (question) =>
      new Promise((answer) => {
        if (stopped || !queues.put({ ...question, answer }))
          return answer({ fault: 'policy_overloaded', detail: 'too many questions wait' });
        next();
      }),
    queued: () => queues.size(),
    async stop() {
      stopped = true;
      for (let left = queues.take(); left !== undefined; left = queues.take())
        left.answer({ fault: 'policy_overloaded', detail: 'the engine stops' });
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}

// What waited may have become pointless: those before it have shown that their policy does not end.
function takeAsked(queues: Queues): Waiting | undefined {
  for (;;) {
    const question = queues.take();
    const refused = question?.refused?.();
    if (question === undefined || refused === undefined) return question;
    question.answer(refused);
  }
}

interface Queues {
  put(question: Waiting): boolean;
  take(): Waiting | undefined;
  size(): number;
}

// One principal's questions never stand before another's: each turn takes one of the next principal.
function createQueues({ all, each }: PoolOptions['queue']): Queues {
  const queues = new Map<string, Waiting[]>();
  let size = 0;
  return {
    put(question) {
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
