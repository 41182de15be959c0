import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import type { Answer } from '../../../helpers/platform.ts';
import { pythonCommand } from '../../../helpers/python.ts';

/** Agents with the stock Python client, in one process. */
export interface PythonAgents {
  open(mode: 'auto' | 'legacy', url: URL, key: string): Promise<PythonAgent>;
  stop(): void;
}

/** One agent of that process. */
export interface PythonAgent {
  call(tool: string, inputs: Readonly<Record<string, unknown>>): Promise<Answer['body']>;
  close(): Promise<void>;
}

/** Starts the process; it ends with `stop`. */
export function startPythonAgents(): PythonAgents {
  const program = fileURLToPath(new URL('agents.py', import.meta.url));
  const child = spawn(pythonCommand('python'), [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line) as { readonly id: number; result?: unknown; error?: string };
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  child.once('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the Python process ended'));
  });
  const ask = (request: object): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    last += 1;
    waiting.set(last, answer);
    child.stdin.write(`${JSON.stringify({ id: last, ...request })}\n`);
    return answer.promise;
  };
  return {
    async open(mode, url, key) {
      const agent = last + 1;
      await ask({ do: 'open', agent, url: url.href, key, mode });
      return {
        call: (name, inputs) => ask({ do: 'call', agent, name, arguments: inputs }) as Promise<Answer['body']>,
        close: async () => void (await ask({ do: 'close', agent })),
      };
    },
    stop: () => child.stdin.end(),
  };
}
