import { constants, setPriority } from 'node:os';
import { parentPort, type Worker } from 'node:worker_threads';
import { PlatformError, renewError, type ProblemExtensions } from './error.ts';

/** A thread for work that would block the thread that serves: one job at a time, in order. */
export interface Thread<Job, Result> {
  /** Resolves to the result of a job; `part` gets what comes before it. Rejects with `overloaded` at a limit. */
  run(job: Job, part?: (part: never) => void): Promise<Result>;
  /** Ends the thread; waiting jobs are rejected. */
  stop(): Promise<void>;
}

interface ThreadOptions {
  /** Starts the worker, at the first job; its file calls `serveThread`. */
  readonly start: () => Worker;
  /** How many jobs may wait behind the current one. */
  readonly waiting: number;
  /** Milliseconds after which a job is given up, and the worker terminated; not counting its start. */
  readonly limitMs: number;
}

interface Job extends Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'> {
  readonly job: unknown;
  readonly part: ((part: never) => void) | undefined;
}

interface Started {
  readonly worker: Worker;
  /** Resolves when the worker's file is loaded, or the worker has ended. */
  readonly settled: Promise<void>;
}

type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'part'; readonly part: unknown }
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly code: string; readonly detail: string; readonly extensions: ProblemExtensions }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Creates a thread; nothing is started until there is a job. */
export function createThread<In, Out>(options: ThreadOptions): Thread<In, Out> {
  const queue = new Queue(options);
  return {
    // The worker of these options returns such results for such jobs: the plugin's own file types both sides.
    run: (job, part) => queue.run(job, part) as Promise<Out>,
    stop: () => queue.stop(),
  };
}

class Queue {
  readonly #options: ThreadOptions;
  readonly #waiting: Job[] = [];
  #started: Started | undefined;
  #current: Job | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  run(job: unknown, part: Job['part']): Promise<unknown> {
    if (this.#waiting.length >= this.#options.waiting) return Promise.reject(overloaded('too many requests wait'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, part, resolve, reject });
      this.#next();
    });
  }

  async stop(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(overloaded('the service ends'));
    await this.#give(overloaded('the service ends'));
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#current = next;
    try {
      const { settled, worker } = (this.#started ??= this.#start());
      worker.postMessage(next.job);
      void settled.then(() => this.#limit(next));
    } catch (error) {
      // The thread cannot be started, or the job cannot be sent to it.
      this.#settle(() => next.reject(error));
    }
  }

  // Counted from when the worker has loaded its file: a slow start of the worker is not the job's fault.
  #limit(job: Job): void {
    if (this.#current !== job) return;
    this.#timer = setTimeout(() => void this.#give(overloaded('the request took too long')), this.#options.limitMs);
  }

  #start(): Started {
    const worker = this.#options.start();
    worker.unref();
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
    const started = { worker, settled };
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') settle();
      else if (started === this.#started) this.#told(message);
    });
    const ended = (error: unknown): void => {
      settle();
      if (started === this.#started) this.#lost(error);
    };
    worker.on('error', ended);
    worker.on('exit', () => ended(new Error('the thread ended')));
    return started;
  }

  #told(message: Exclude<FromWorker, { readonly kind: 'ready' }>): void {
    const current = this.#current;
    if (current === undefined) return;
    // The plugin's own file types both sides, as for the result.
    if (message.kind === 'part') return current.part?.(message.part as never);
    this.#settle(() => {
      if (message.kind === 'result') current.resolve(message.result);
      else if (message.kind === 'failed') current.reject(message.error);
      else current.reject(renewError(message.code, message.detail, message.extensions));
    });
  }

  #lost(error: unknown): void {
    this.#started = undefined;
    const current = this.#current;
    if (current !== undefined) this.#settle(() => current.reject(error));
  }

  /** Gives up the current job and terminates the worker: nothing else stops a job. */
  async #give(error: PlatformError): Promise<void> {
    const started = this.#started;
    this.#lost(error);
    // If a thread is ended while it loads the driver of the store, the whole process ends.
    await started?.settled;
    await started?.worker.terminate();
  }

  #settle(tell: () => void): void {
    clearTimeout(this.#timer);
    this.#current = undefined;
    tell();
    this.#next();
  }
}

function overloaded(why: string): PlatformError {
  return new PlatformError('overloaded', `${why}; send it again later`, { retry_after: 1 });
}

/** Works on the jobs of a `createThread`, in its worker. `send` sends parts first: one large result would block. */
export function serveThread<In>(work: (job: In, send: (part: unknown) => void) => unknown): void {
  const port = parentPort;
  if (port === null) throw new Error('serveThread runs in a thread only');
  goSecond();
  const send = (part: unknown): void => port.postMessage({ kind: 'part', part } satisfies FromWorker);
  port.on('message', (job: In) => void answerOf(() => work(job, send)).then((answer) => port.postMessage(answer)));
  port.postMessage({ kind: 'ready' } satisfies FromWorker);
}

async function answerOf(work: () => unknown): Promise<FromWorker> {
  try {
    return { kind: 'result', result: await work() };
  } catch (error) {
    if (!(error instanceof PlatformError)) return { kind: 'failed', error };
    return { kind: 'refused', code: error.code, detail: error.message, extensions: error.extensions };
  }
}

// Gives the serving threads priority. On Linux each thread has its own priority; elsewhere the whole process has one.
function goSecond(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may forbid it.
  }
}
