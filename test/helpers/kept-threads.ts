import type { Worker } from 'node:worker_threads';
import type { FromWriter, ToWriter } from '../../kernel/store/message.ts';

/** Says, by what a thread is told and answers, whether it could serve somebody else now. */
export interface Use {
  told(message: unknown): void;
  heard(message: unknown): void;
  readonly isOver: () => boolean;
  /** What it says to its next owner as it would at its start. */
  readonly greeting?: object;
}

interface Kept {
  readonly worker: Worker;
  readonly greeting: object | undefined;
}

const kept = new Map<string, Set<Kept>>();

/** Takes a thread that was kept under a key. */
export function takeThread(key: string): Worker | undefined {
  const list = kept.get(key);
  const [found] = list ?? [];
  if (found === undefined) return undefined;
  list?.delete(found);
  const { greeting, worker } = found;
  // Its owner does not listen yet.
  if (greeting !== undefined) setImmediate(() => worker.emit('message', greeting));
  return worker;
}

/**
 * Keeps a thread, when its owner ends it after its work, for the next owner in this process: to start a thread and to load
 * its modules takes more than what it does in most tests. One that works, or has failed, ends.
 */
export function keepThread(worker: Worker, key: string, use: Use): void {
  const list = kept.get(key) ?? new Set();
  kept.set(key, list);
  const terminate = worker.terminate.bind(worker);
  const post = worker.postMessage.bind(worker);
  const events = ['message', 'error', 'exit'];
  // Not all: Node has listeners of its own.
  const remove = worker.removeAllListeners.bind(worker);
  worker.removeAllListeners = (event) => {
    for (const one of event === undefined ? events : [event]) remove(one);
    return worker;
  };
  worker.on('message', use.heard);
  worker.postMessage = (message: unknown, transfer?: Parameters<typeof post>[1]) => {
    use.told(message);
    post(message, transfer);
  };
  worker.terminate = () => {
    if (!use.isOver()) return terminate();
    worker.emit('exit', 0);
    worker.removeAllListeners();
    worker.on('message', use.heard);
    const entry = { worker, greeting: use.greeting };
    worker.on('error', () => list.delete(entry));
    worker.unref();
    list.add(entry);
    return Promise.resolve(0);
  };
}

/** The use of a writer thread of a store: it serves again when it has closed a file. */
export function writerUse(): Use {
  let [hasFile, isClosed] = [false, false];
  return {
    told(message) {
      const told = message as ToWriter;
      if (told.kind !== 'open') return;
      hasFile = told.data.address === undefined;
      isClosed = false;
    },
    heard: (message) => void (isClosed = (message as FromWriter).kind === 'closed'),
    isOver: () => hasFile && isClosed,
  };
}

/** The use of the policy compiler: it serves again when it has answered all that it was asked. */
export function compilerUse(): Use {
  let [isReady, hasFailed, open] = [false, false, 0];
  return {
    told: () => void (open += 1),
    heard(message) {
      if ('ready' in (message as object)) isReady = true;
      else if ('answer' in (message as object)) open -= 1;
      else hasFailed = true;
    },
    isOver: () => isReady && !hasFailed && open === 0,
    greeting: { ready: true },
  };
}

/** The use of an evaluator of policies: it serves again when it has answered all that it was asked. */
export function evaluatorUse(): Use {
  let open = 0;
  return {
    told(message) {
      if ('begin' in (message as object)) open = 0;
      else if ('id' in (message as object)) open += 1;
    },
    heard: () => void (open -= 1),
    isOver: () => open === 0,
  };
}
