import type { Worker } from 'node:worker_threads';
import type { FromWriter, ToWriter } from '../../kernel/store/message.ts';

/** Tells a thread to end what it is, and tells that it has: also one that has ended it by itself. */
export const parting = { parting: true } as const;

/** Says, by what a thread is told and answers, whether it could serve somebody else now. */
export interface Use {
  told(message: unknown): void;
  heard(message: unknown): void;
  readonly isOver: () => boolean;
  /** What it says to its next owner as it would at its start. */
  readonly greeting?: object;
  /** It is told to part when its owner ends it, and says so when it has left what was that owner's. */
  readonly parts?: true;
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
  // It is that of its next owner from now on.
  const leave = (): void => {
    worker.emit('exit', 0);
    worker.removeAllListeners();
    worker.on('message', heard);
    const entry = { worker, greeting: use.greeting };
    worker.on('error', () => list.delete(entry));
    worker.unref();
    list.add(entry);
  };
  let parted: (() => void) | undefined;
  const heard = (message: object): void => {
    use.heard(message);
    if (!('parting' in message)) return;
    if (parted === undefined) leave();
    else parted();
  };
  const part = async (): Promise<boolean> => {
    // As the end of a thread does, it lets the process wait.
    worker.ref();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    parted = () => resolve(true);
    worker.once('exit', () => resolve(false));
    post(parting);
    const isThere = await promise;
    parted = undefined;
    return isThere;
  };
  worker.on('message', heard);
  worker.postMessage = (message: unknown, transfer?: Parameters<typeof post>[1]) => {
    use.told(message);
    post(message, transfer);
  };
  worker.terminate = async () => {
    if (!use.isOver()) return terminate();
    if (use.parts === true && !(await part())) return terminate();
    leave();
    return 0;
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
    // It also tells that it runs.
    heard: (message) => void ('id' in (message as object) && (open -= 1)),
    isOver: () => open === 0,
  };
}

/** The use of a thread of `serveThread` that keeps nothing: it serves again when it has answered all that it was asked. */
export function servingUse(): Use {
  let [isReady, open] = [false, 0];
  return {
    told(message) {
      if (!('begin' in (message as object))) open += 1;
      else [isReady, open] = [false, 0];
    },
    heard(message) {
      const { kind } = message as { readonly kind?: string };
      if (kind === 'ready') isReady = true;
      else if (kind !== undefined && kind !== 'part') open -= 1;
    },
    isOver: () => isReady && open === 0,
    greeting: { kind: 'ready' },
  };
}

/** The use of a thread that reads the file of a store: it serves again when it has closed the file, too. */
export function readerUse(): Use {
  const { greeting: _, ...use } = servingUse();
  return { ...use, parts: true };
}

/** The use of a thread that ends by itself when it is told to, as the auditor of receipts does. */
export function endingUse(): Use {
  return { told: () => undefined, heard: () => undefined, isOver: () => false };
}
