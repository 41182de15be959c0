import { workerData, type MessagePort } from 'node:worker_threads';
import { main } from '../../kernel/main.ts';
import type { Answered, Asked } from './in-thread.ts';

// The thread of in-thread.ts: it has loaded the program once, and runs one command after another.
const { port, turns } = workerData as { readonly port: MessagePort; readonly turns: Int32Array };
const printed = { stdout: '', stderr: '' };

for (const name of ['stdout', 'stderr'] as const)
  process[name].write = (part: string | Uint8Array): boolean => {
    printed[name] += typeof part === 'string' ? part : Buffer.from(part).toString();
    return true;
  };

let current = 0;
const answer = (number: number, status: number, over = false): void => {
  port.postMessage({ number, ended: { status, ...printed }, over } satisfies Answered);
  Atomics.add(turns, 0, 1);
  Atomics.notify(turns, 0);
};

port.on('message', ({ args, env, number }: Asked) => {
  current = number;
  Object.assign(printed, { stdout: '', stderr: '' });
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  void main(args).then(
    (status) => answer(number, status),
    (error: unknown) => {
      printed.stderr += String(error);
      answer(number, 1);
    },
  );
});

// A command that ends its process ends this thread.
process.on('exit', (code) => answer(current, code, true));
