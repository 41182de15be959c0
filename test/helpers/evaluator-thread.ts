import { syncBuiltinESMExports } from 'node:module';
import threads, { parentPort } from 'node:worker_threads';

/** What the thread is from now on: the module of an evaluator, and the data that it begins with. */
export interface Beginning {
  readonly begin: string;
  readonly data: unknown;
}

type Hear = (message: unknown) => void;

// A thread that is one evaluator after another: it loads the module again for each, under another address.
const port = parentPort;
if (port === null) throw new Error('evaluator-thread.ts runs as a thread only');
const now: { hear?: Hear | undefined; early: unknown[]; count: number } = { early: [], count: 0 };

port.on('message', (message: Beginning | object) => {
  if ('begin' in message) void begin(message);
  else if (now.hear === undefined) now.early.push(message);
  else now.hear(message);
});
// What the module hears with.
Object.assign(port, { on: (_: string, listener: Hear) => void (now.hear = listener) });

async function begin({ begin: module, data }: Beginning): Promise<void> {
  Object.assign(now, { hear: undefined, early: [] });
  Object.assign(threads, { workerData: data });
  syncBuiltinESMExports();
  await import(`${module}?${(now.count += 1)}`);
  for (const message of now.early.splice(0)) now.hear?.(message);
}
