import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';

/** A command and its environment. */
export interface Asked {
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
  readonly ended: Ended;
  readonly over: boolean;
}

interface Thread {
  readonly port: MessagePort;
  readonly turns: Int32Array;
}

let thread: Thread | undefined;
const longestMs = 170_000;

/**
 * Runs a command of `orb` by `main` of the program, as kernel/orb.js does, in a thread that has loaded the program
 * before: a process of its own would load it for each command. Waits for the end, as `spawnSync` does.
 */
export function runInThread(cwd: string, asked: Asked): Ended {
  const { port, turns } = (thread ??= startThread());
  const [turn, place] = [Atomics.load(turns, 0), process.cwd()];
  // The folder belongs to the process: the thread works in it, too.
  process.chdir(cwd);
  try {
    port.postMessage(asked);
    if (Atomics.wait(turns, 0, turn, longestMs) === 'timed-out') throw new Error(`orb ${asked.args.join(' ')} hangs`);
    const { ended, over } = (receiveMessageOnPort(port) as { readonly message: Answered }).message;
    if (over) thread = undefined;
    return ended;
  } finally {
    process.chdir(place);
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
