import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Loadable, PoolAnswer, Waiting } from './question.ts';
import type { Answered, FromWorker, ToWorker } from './worker.ts';

/** Settings of a thread. */
export interface ThreadOptions {
  readonly revisions: ReadonlyMap<string, Loadable>;
  readonly deadlineMs: number;
  /** Called when the thread can take the next question. */
  readonly free: () => void;
}

/** CPU time in ms of the thread with this system number; `thread` 0: of the whole process. */
interface Cpu {
  readonly thread: number;
  readonly ms: number;
}

interface Current {
  readonly id: number;
  readonly question: Waiting;
  readonly begun: number;
  readonly deadlineMs: number;
  /** CPU time at the last moment when the evaluation had not begun. */
  cpu: Cpu;
  timer: NodeJS.Timeout;
}

// How long beyond the deadline a thread may wait for the processor, to start or to continue.
const patienceMs = 10_000;

/** One worker thread for one question at a time. A timeout ends and replaces it: nothing else stops a policy. */
export class Thread {
  readonly #options: ThreadOptions;
  #worker: Worker | undefined;
  #flag = new Int32Array(new SharedArrayBuffer(8));
  #current: Current | undefined;
  #asked = 0;
  /** The worker that has reported that it runs. */
  #reported: Worker | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Says whether the thread is evaluating a question. */
  get busy(): boolean {
    return this.#current !== undefined;
  }

  /** Says whether a question need not wait for the start of the thread. */
  get running(): boolean {
    return this.#worker !== undefined && this.#worker === this.#reported;
  }

  /** Sends a message if the thread has started; every start loads all revisions itself. */
  send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  /** Starts the thread before its first question; calls `free` when it runs. */
  warm(): void {
    this.#started();
  }

  /** Starts evaluating a question; calls its `answer` with the result. */
  run(question: Waiting): void {
    const worker = this.#started();
    if (worker === undefined)
      return question.answer({ fault: 'policy_overloaded', detail: 'no thread could be started' });
    const id = (this.#asked += 1);
    const { deadlineMs = this.#options.deadlineMs } = question;
    const timer = setTimeout(() => this.#late(id), deadlineMs);
    this.#current = { id, question, begun: performance.now(), deadlineMs, cpu: this.#cpu(), timer };
    const { revision, entrypoint, input, time_ns, withheld } = question;
    worker.postMessage({ id, revision, entrypoint, input, time_ns, withheld } satisfies ToWorker);
  }

  /** Ends the thread; a running question is answered with `policy_overloaded`. */
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
    // A late error of an ending thread is ignored: without a listener it would end the process.
    ending?.on('error', () => undefined);
    return ending?.terminate() ?? Promise.resolve();
  }

  // The system may refuse another thread; the next question tries again.
  #started(): Worker | undefined {
    try {
      return (this.#worker ??= this.#start());
    } catch {
      return undefined;
    }
  }

  #start(): Worker {
    const flag = new SharedArrayBuffer(8);
    this.#flag = new Int32Array(flag);
    const made = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { flag } });
    made.unref();
    // A dying thread emits both `error` and `exit`; by then another thread may have the next question.
    const failed = (): void => {
      if (this.#worker !== made) return;
      this.#worker = undefined;
      this.#settle({ fault: 'policy_error', detail: 'the evaluating thread ended' });
    };
    made.on('message', (message: FromWorker) => {
      this.#reported = made;
      if ('running' in message) this.#options.free();
      else this.#told(message);
    });
    made.on('error', failed).on('exit', failed);
    for (const load of this.#options.revisions.values()) made.postMessage({ load } satisfies ToWorker);
    return made;
  }

  #told({ id, took_ms, cpu_ms, outcome }: Answered): void {
    const current = this.#current;
    if (current?.id !== id) return;
    // An error after the deadline counts as a timeout: which of the two is noticed first is chance.
    const failed = 'fault' in outcome && outcome.fault === 'policy_error';
    const late = failed && took_ms > current.deadlineMs && (cpu_ms ?? this.#used()) >= current.deadlineMs;
    this.#settle(late ? timeout(current) : outcome);
  }

  // setImmediate lets an answer that has already arrived win. A thread that waits for the processor gets more time.
  #late(id: number): void {
    setImmediate(() => {
      const current = this.#current;
      if (current?.id !== id) return;
      const { deadlineMs } = current;
      const starved = this.#starved(current);
      if (starved && performance.now() - current.begun < deadlineMs + patienceMs) {
        current.timer = setTimeout(() => this.#late(id), deadlineMs);
        return;
      }
      void this.#end();
      this.#settle(starved ? { fault: 'policy_overloaded', detail: 'the machine is too busy' } : timeout(current));
    });
  }

  // The evaluation has not begun, or has used less CPU time than the deadline allows.
  #starved(current: Current): boolean {
    const cpu = this.#cpu();
    // A changed number means that the thread had not reported it before, so it had not begun.
    if (Atomics.load(this.#flag, 0) === 0 || cpu.thread !== current.cpu.thread) {
      current.cpu = cpu;
      return true;
    }
    return cpu.ms - current.cpu.ms < current.deadlineMs;
  }

  // CPU time that the thread used for the current question.
  #used(): number {
    return this.#cpu().ms - (this.#current?.cpu.ms ?? 0);
  }

  #cpu(): Cpu {
    const thread = Atomics.load(this.#flag, 1);
    try {
      const ran = thread > 0 ? readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')[0] : undefined;
      if (ran !== undefined) return { thread, ms: Number(ran) / 1e6 };
    } catch {
      // No such file: another system, or a thread that has ended.
    }
    const { user, system } = process.cpuUsage();
    return { thread: 0, ms: (user + system) / 1000 };
  }
}

function timeout({ deadlineMs }: Current): PoolAnswer {
  return { fault: 'policy_timeout', detail: `the policy took longer than ${deadlineMs} ms` };
}
