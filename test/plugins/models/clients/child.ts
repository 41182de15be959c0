import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { StockClient, Told } from './client.ts';

/** What is known of a client of another language. */
type Facts = Omit<StockClient, 'ask' | 'embed'>;

/** A client that runs as a process of its own. */
export interface ChildClient extends StockClient {
  /** Starts the process. Must come before the first ask. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Makes a client of a program that reads one JSON line for each ask, `{id, do, ask}`, and prints `{id, answer}`. With
 * `{id, leave: true}` it gives the ask up.
 */
export function childClient(
  facts: Facts,
  { command, embeds = false }: { readonly command: () => readonly [string, ...string[]]; readonly embeds?: boolean },
): ChildClient {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let child: ChildProcess | undefined;
  let last = 0;
  const write = (line: object): void => void child?.stdin?.write(`${JSON.stringify(line)}\n`);
  const send = async (request: object, signal?: AbortSignal): Promise<unknown> => {
    const id = (last += 1);
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    signal?.addEventListener('abort', () => write({ id, leave: true }));
    write({ id, ...request });
    return answer.promise;
  };
  return {
    ...facts,
    async start() {
      const [program, ...args] = command();
      const started = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      child = started;
      createInterface({ input: started.stdout }).on('line', (line) => {
        const { id, answer } = JSON.parse(line) as { readonly id: number; readonly answer: unknown };
        waiting.get(id)?.resolve(answer);
        waiting.delete(id);
      });
      started.once('exit', () => {
        for (const { reject } of waiting.values()) reject(new Error('the process of the client ended'));
      });
    },
    async stop() {
      if (child === undefined) return;
      const exit = once(child, 'exit');
      child.stdin?.end();
      await exit;
    },
    ask: async (ask, signal) => (await send({ do: 'ask', ask }, signal)) as Told,
    ...(embeds && { embed: async (ask, text) => (await send({ do: 'embed', ask: { ...ask, text } })) as number[] }),
  };
}
