import { Worker } from 'node:worker_threads';

/** Speaks to the compiler program, which lives in a worker only while it is needed. */
export interface Compiler {
  /**
   * Sends one request and resolves to its result. Throws CompilerFault: `deadline` when it took too long, `trap` when
   * the program died of it, `refused` when it answered with an error. The next call finds a fresh one.
   */
  call<T>(request: object, deadlineMs: number): Promise<T>;
  /** Says whether the program is in memory at this moment. */
  running(): boolean;
  stop(): Promise<void>;
}

/** Tells why the compiler gave no result. */
export class CompilerFault extends Error {
  readonly kind: 'deadline' | 'trap' | 'refused';

  constructor(kind: CompilerFault['kind'], message: string) {
    super(message);
    this.name = 'CompilerFault';
    this.kind = kind;
  }
}

const idleMs = 60_000;
const startMs = 60_000;

interface Message {
  readonly ready?: true;
  readonly answer?: string;
  readonly trap?: string;
}

/** Creates the client of a compiler program (`.wasm` or `.wasm.br`). Calls run one after the other. */
export function createCompiler(path: string, options: { readonly idleMs?: number } = {}): Compiler {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };
  const start = async (): Promise<Worker> => {
    const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { path }, stderr: true });
    started.unref();
    worker = started;
    await message(started, startMs);
    return started;
  };
  const ask = async (request: object, deadlineMs: number): Promise<unknown> => {
    clearTimeout(idle);
    try {
      const ready = worker ?? (await start());
      ready.postMessage(JSON.stringify(request));
      const { answer, trap } = await message(ready, deadlineMs);
      if (answer === undefined) throw new CompilerFault('trap', `the compiler gave up: ${trap ?? 'no answer'}`);
      idle = setTimeout(() => void end(), options.idleMs ?? idleMs).unref();
      return resultOf(answer);
    } catch (error) {
      if (!(error instanceof CompilerFault) || error.kind !== 'refused') await end();
      throw error;
    }
  };
  return {
    call<T>(request: object, deadlineMs: number): Promise<T> {
      const asked = last.then(() => ask(request, deadlineMs) as Promise<T>);
      last = asked.catch(() => undefined);
      return asked;
    },
    running: () => worker !== undefined,
    stop: end,
  };
}

function resultOf(answer: string): unknown {
  const { result, error } = JSON.parse(answer) as { readonly result?: unknown; readonly error?: string };
  if (error !== undefined) throw new CompilerFault('refused', error);
  return result;
}

// Nothing inside the program can stop it: it is the worker that is ended.
function message(worker: Worker, deadlineMs: number): Promise<Message> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      settle();
      reject(new CompilerFault('deadline', `the compiler took longer than ${deadlineMs} ms`));
    }, deadlineMs);
    const heard = (told: Message): void => {
      settle();
      resolve(told);
    };
    const failed = (error: unknown): void => {
      settle();
      reject(
        new CompilerFault('trap', `the compiler failed: ${error instanceof Error ? error.message : String(error)}`),
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
