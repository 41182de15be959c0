import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';

/** A command and its environment. */
export interface Asked {
  /** The answer has the same number: one that comes late belongs to no other command. */
  readonly number: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** How a command has ended. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the thread answers; `over`: it has ended with the command. */
export interface Answered {
  readonly number: number;
  readonly ended: Ended;
  readonly over: boolean;
}

interface Thread {
  readonly port: MessagePort;
  readonly turns: Int32Array;
}

let thread: Thread | undefined;
let count = 0;
const longestMs = 170_000;

/**
 * Runs a command of `orb` by `main` of the program, as kernel/orb.js does, in a thread that has loaded the program
 * before: a process of its own would load it for each command. Waits for the end, as `spawnSync` does.
 */
export function runInThread(cwd: string, asked: Omit<Asked, 'number'>): Ended {
  const { port, turns } = (thread ??= startThread());
  const place = process.cwd();
  // The folder belongs to the process: the thread works in it, too.
  process.chdir(cwd);
  try {
    const number = ++count;
    port.postMessage({ ...asked, number } satisfies Asked);
    const { ended, over } = answerTo(number, { port, turns }, `orb ${asked.args.join(' ')}`);
    if (over) thread = undefined;
    return ended;
  } finally {
    process.chdir(place);
  }
}

function answerTo(number: number, { port, turns }: Thread, what: string): Answered {
  const end = performance.now() + longestMs;
  for (;;) {
    // Read before the port: an answer that comes in between ends the wait at once.
    const turn = Atomics.load(turns, 0);
    const answered = receiveMessageOnPort(port)?.message as Answered | undefined;
    if (answered?.number === number) return answered;
    if (answered === undefined && Atomics.wait(turns, 0, turn, end - performance.now()) === 'timed-out') {
      // What it may still answer must reach nobody.
      thread = undefined;
      throw new Error(`${what} hangs`);
    }
  }
}

function startThread(): Thread {
  const { port1: port, port2 } = new MessageChannel();
  const turns = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('command-thread.ts', import.meta.url), {
    workerData: { port: port2, turns },
    transferList: [port2],
  });
  worker.once('error', () => undefined);
  worker.unref();
  port.unref();
  return { port, turns };
}

/**
 * Says whether a command must run in a process of its own: it ends its process, changes which certificates the process
 * trusts, or reads standard input.
 */
export function needsProcess(args: readonly string[]): boolean {
  return ['serve', 'provider'].includes(args[0] ?? '') || args.includes('--ca') || args.includes('-');
}
