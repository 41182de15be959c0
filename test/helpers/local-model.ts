import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pythonCommand } from './python.ts';

/** A server of llama.cpp with a small language model, on loopback. */
export interface LocalModel {
  readonly url: string;
  /** Counts the slots that are at work now. */
  busy(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the language model of the tests; `embedding`: it makes vectors instead of answers. Needs the tool `model`. */
export async function startLocalModel({ embedding = false } = {}): Promise<LocalModel> {
  const program = fileURLToPath(new URL('local-model.py', import.meta.url));
  const args = [program, ...(embedding ? ['--embedding'] : [])];
  const child = spawn(pythonCommand('python'), args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-10_000)));
  const address = once(createInterface({ input: child.stdout }), 'line');
  const ended = exit.then(() => Promise.reject(new Error(`the language model did not start: ${log}`)));
  const [url] = (await Promise.race([address, ended])) as [string];
  ended.catch(() => undefined);
  return {
    url,
    async busy() {
      const slots = (await (await fetch(`${url}/slots`)).json()) as { readonly is_processing: boolean }[];
      return slots.filter(({ is_processing }) => is_processing).length;
    },
    async stop() {
      child.stdin.end();
      await exit;
    },
  };
}
