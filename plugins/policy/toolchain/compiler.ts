import { Worker } from 'node:worker_threads';
import { after } from '../../../kernel/index.ts';
import type { ApprovalGroups } from '../../approvals/contract.ts';

/** Client of the compiler program, which runs in a worker only while it is needed. */
export type Compiler = ReturnType<typeof createCompiler>;

/** Reports why the compiler gave no result. */
export class CompilerFault extends Error {
  readonly kind: 'deadline' | 'trap' | 'refused' | 'busy';

  constructor(kind: CompilerFault['kind'], message: string) {
    super(message);
    this.name = 'CompilerFault';
    this.kind = kind;
  }
}

const idleMs = 60_000;
const startMs = 60_000;
// Extra time for a program that gets little CPU, while the whole process has used less CPU time than the deadline.
const patienceMs = 60_000;
// Each call may take the whole deadline, so further callers are told to try again later.
const mostWaiting = 16;

interface Message {
  readonly ready?: true;
  readonly answer?: string;
  readonly trap?: string;
}

/** Settings of the client of a compiler program. */
interface CompilerOptions {
  readonly idleMs?: number;
  /** The groups that policies may ask; absent: a policy that asks is refused. */
  readonly groups?: ApprovalGroups | undefined;
}

/** Creates the client of a compiler program (`.wasm` or `.wasm.br`). Calls run one after the other. */
export function createCompiler(path: string, options: CompilerOptions = {}) {
  let worker: Worker | undefined;
  let stopIdling = (): void => undefined;
  const line = createLine();
  const end = async (): Promise<void> => {
    stopIdling();
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };
  const start = async (): Promise<Worker> => {
    const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { path }, stderr: true });
    started.unref();
    // The worker may also end between two calls; the next call then starts another.
    const gone = (): void => {
      if (worker === started) worker = undefined;
    };
    started.on('error', gone).on('exit', gone);
    worker = started;
    await message(started, startMs);
    return started;
  };
  const ask = async (request: object, deadlineMs: number): Promise<unknown> => {
    stopIdling();
    try {
      const ready = worker ?? (await start());
      ready.postMessage(JSON.stringify(request));
      const { answer, trap } = await message(ready, deadlineMs);
      if (answer === undefined) throw new CompilerFault('trap', `the policy compiler failed: ${trap ?? 'no answer'}`);
      stopIdling = after(options.idleMs ?? idleMs, end, () => undefined);
      return resultOf(answer);
    } catch (error) {
      if (!(error instanceof CompilerFault) || error.kind !== 'refused') await end();
      throw error;
    }
  };
  return {
    /**
     * Sends one request and resolves to its result. Throws CompilerFault: `deadline` when it took too long, `trap` when
     * the program crashed, `refused` when it answered with an error, `busy` when too many calls wait. After a deadline or
     * trap, the next call starts a new program. `urgent`: goes to the head of the queue, which is never full for it.
     */
    call: <T>(request: object, deadlineMs: number, { urgent = false }: { readonly urgent?: boolean } = {}) =>
      line(() => ask(request, deadlineMs) as Promise<T>, urgent),
    /** Says whether the program is in memory at this moment. */
    running: () => worker !== undefined,
    groups: options.groups,
    stop: end,
  };
}

type Line = <T>(work: () => Promise<T>, urgent: boolean) => Promise<T>;

// Runs calls one after the other; an urgent call goes to the head of the queue.
function createLine(): Line {
  const waiting: (() => Promise<void>)[] = [];
  let busy = false;
  const next = (): void => {
    const first = busy ? undefined : waiting.shift();
    if (first === undefined) return;
    busy = true;
    void first().finally(() => {
      busy = false;
      next();
    });
  };
  return (work, urgent) =>
    new Promise((resolve, reject) => {
      if (!urgent && waiting.length >= mostWaiting)
        return reject(new CompilerFault('busy', 'too many policies are waiting for a check; try again later'));
      const turn = (): Promise<void> => work().then(resolve, reject);
      if (urgent) waiting.unshift(turn);
      else waiting.push(turn);
      next();
    });
}

function resultOf(answer: string): unknown {
  const { result, error } = JSON.parse(answer) as { readonly result?: unknown; readonly error?: string };
  if (error !== undefined) throw new CompilerFault('refused', error);
  return result;
}

// Rejects at the deadline; the caller then ends the worker, because the program itself cannot be interrupted.
function message(worker: Worker, deadlineMs: number): Promise<Message> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const cpu = process.cpuUsage();
    const late = (): void => {
      const { user, system } = process.cpuUsage(cpu);
      if ((user + system) / 1000 < deadlineMs && performance.now() - begun < deadlineMs + patienceMs) {
        timer = setTimeout(late, 1_000);
        return;
      }
      settle();
      reject(new CompilerFault('deadline', `the policy compiler took longer than ${deadlineMs} ms`));
    };
    let timer = setTimeout(late, deadlineMs);
    const heard = (told: Message): void => {
      settle();
      resolve(told);
    };
    const failed = (error: unknown): void => {
      settle();
      reject(
        new CompilerFault(
          'trap',
          `the policy compiler failed: ${error instanceof Error ? error.message : String(error)}`,
        ),
      );
    };
    const exited = (): void => failed('its thread ended');
    const settle = (): void => {
      clearTimeout(timer);
      worker.off('message', heard).off('error', failed).off('exit', exited);
    };
    worker.once('message', heard).once('error', failed).once('exit', exited);
  });
}
