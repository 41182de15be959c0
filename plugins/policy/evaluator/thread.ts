import { Worker } from 'node:worker_threads';
import type { Loadable, PoolAnswer, Waiting } from './pool.ts';
import type { FromWorker, ToWorker } from './worker.ts';

/** What a thread is made of. */
export interface ThreadOptions {
  readonly revisions: ReadonlyMap<string, Loadable>;
  readonly deadlineMs: number;
  /** Called when the thread can take the next question. */
  readonly free: () => void;
}

interface Current {
  readonly question: Waiting;
  readonly begun: number;
  timer: NodeJS.Timeout;
}

// How long a thread may take to start and load, beyond the deadline of the question that woke it.
const startingMs = 2_000;

/** One thread: a question at a time. When one outlives its deadline it is ended and made anew: nothing else stops a policy. */
export class Thread {
  readonly #options: ThreadOptions;
  #worker: Worker | undefined;
  #flag = new Int32Array(new SharedArrayBuffer(4));
  #current: Current | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Says whether it is at a question. */
  get busy(): boolean {
    return this.#current !== undefined;
  }

  /** Sends a message, if it has started; what is loaded goes with every start. */
  send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  /** Starts it before the first question comes. */
  warm(): void {
    this.#worker ??= this.#start();
  }

  /** Begins a question; its answer goes to the one who waits. */
  run(question: Waiting): void {
    const worker = (this.#worker ??= this.#start());
    const timer = setTimeout(() => this.#late(), this.#options.deadlineMs);
    this.#current = { question, begun: performance.now(), timer };
    const { revision, entrypoint, input, time_ns } = question;
    worker.postMessage({ revision, entrypoint, input, time_ns } satisfies ToWorker);
  }

  /** Ends the thread; a question under way is answered. */
  async stop(): Promise<void> {
    this.#settle({ fault: 'policy_overloaded', detail: 'the engine stops' });
    await this.#end();
  }

  #settle(answer: PoolAnswer): void {
    if (this.#current === undefined) return;
    const { question, timer } = this.#current;
    clearTimeout(timer);
    this.#current = undefined;
    question.answer(answer);
    this.#options.free();
  }

  #end(): Promise<unknown> {
    const ending = this.#worker;
    this.#worker = undefined;
    ending?.removeAllListeners();
    // A last error of a thread that is being ended is of no interest, and must not end the process.
    ending?.on('error', () => undefined);
    return ending?.terminate() ?? Promise.resolve();
  }

  #start(): Worker {
    const flag = new SharedArrayBuffer(4);
    this.#flag = new Int32Array(flag);
    const made = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { flag } });
    made.unref();
    const failed = (): void => {
      if (this.#worker === made) this.#worker = undefined;
      this.#settle({ fault: 'policy_error', detail: 'the evaluating thread ended' });
    };
    made.on('message', (answer: FromWorker) => this.#settle(answer));
    made.on('error', failed).on('exit', failed);
    for (const { revision, module, data } of this.#options.revisions.values())
      made.postMessage({ load: revision, module, data } satisfies ToWorker);
    return made;
  }

  // An answer that has arrived goes first; and a thread that has not had its turn yet is not a policy that runs.
  #late(): void {
    setImmediate(() => {
      if (this.#current === undefined) return;
      const { deadlineMs } = this.#options;
      const waited = performance.now() - this.#current.begun;
      if (Atomics.load(this.#flag, 0) === 0 && waited < deadlineMs + startingMs) {
        this.#current.timer = setTimeout(() => this.#late(), deadlineMs);
        return;
      }
      void this.#end();
      this.#settle({ fault: 'policy_timeout', detail: `the policy took longer than ${deadlineMs} ms` });
    });
  }
}
