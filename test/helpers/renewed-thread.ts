import { syncBuiltinESMExports } from 'node:module';
import threads, { parentPort } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { parting } from './kept-threads.ts';

/** What the thread is from now on: a module, and the data that it begins with. */
export interface Beginning {
  readonly begin: string;
  readonly data: unknown;
  /** It reads databases, which are closed at its parting. */
  readonly reads?: true;
}

type Hear = (message: unknown) => void;

// A thread that is one evaluator of policies, reader of a store or auditor after another: it loads the module again for
// each, under another address.
const port = parentPort;
if (port === null) throw new Error('renewed-thread.ts runs as a thread only');
const now: { hear?: Hear | undefined; early: unknown[]; count: number } = { early: [], count: 0 };
const databases = new Set<Database>();

port.on('message', (message: Beginning | typeof parting | object) => {
  if ('begin' in message) void begin(message);
  else if ('parting' in message) part();
  else if (now.hear === undefined || now.early.length > 0) now.early.push(message);
  else now.hear(message);
});
// What the module hears with, also some time after its load, and ends with.
Object.assign(port, {
  on(_: string, listener: Hear): void {
    now.hear = listener;
    setImmediate(() => {
      for (const message of now.hear === listener ? now.early.splice(0) : []) listener(message);
    });
  },
  close: part,
});

async function begin({ begin: module, data, reads }: Beginning): Promise<void> {
  Object.assign(now, { hear: undefined, early: [] });
  Object.assign(threads, { workerData: data });
  syncBuiltinESMExports();
  if (reads === true && now.count === 0) await noteDatabases();
  await import(`${module}?${(now.count += 1)}`);
}

// Not for all: a thread that is ended while it loads the driver would end the whole process.
async function noteDatabases(): Promise<void> {
  const { prototype } = (await import('better-sqlite3')).default;
  const { prepare } = prototype;
  Object.assign(prototype, {
    prepare(this: Database, source: string) {
      databases.add(this);
      return prepare.call(this, source);
    },
  });
}

function part(): void {
  for (const one of databases) one.close();
  databases.clear();
  now.hear = undefined;
  port?.postMessage(parting);
}
