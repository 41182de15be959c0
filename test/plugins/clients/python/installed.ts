import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Outcome } from '../../../../plugins/clients/typescript/src/surface.ts';
import { packageDir } from '../../../helpers/folder.ts';
import { pythonCommand, runPython } from '../../../helpers/python.ts';
import { buildClients } from '../built.ts';

/** Answers the path of the built wheel. */
export function buildWheel(): string {
  buildClients();
  const folder = join(packageDir, 'dist/clients');
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('the wheel was not built');
  return join(folder, wheel);
}

/** The Python client, installed by pip from its wheel, without a network. */
export interface InstalledWheel {
  readonly folder: string;
  /** Runs a program with the client. */
  run(args: readonly string[]): Promise<string>;
  remove(): void;
}

/** Installs the wheel into a folder of its own. */
export async function installWheel(): Promise<InstalledWheel> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-wheel-'));
  const args = ['-m', 'pip', 'install', '-q', '--no-index', '--no-deps', '--target', folder, buildWheel()];
  await runPython(args, { cwd: folder });
  return {
    folder,
    run: (more) => runPython(more, { cwd: folder, env: { PYTHONPATH: folder } }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Asked {
  readonly tries?: number;
  readonly timeout?: number;
  readonly hold?: 'wait' | 'refuse';
}

/** A process that calls with the Python client. */
export interface PythonCaller {
  run(orb: string, inputs: object, options: Asked & { readonly key?: string }): Promise<Outcome>;
  /** Waits for the end of the outcome of this call. */
  settle(outcome: Outcome, options: Asked & { readonly timeout: number }): Promise<Outcome>;
  stop(): Promise<void>;
}

/** Starts a process that calls with the Python client; times are seconds. Without a pin, no receipt is verified. */
export function startCaller(
  { folder }: Pick<InstalledWheel, 'folder'>,
  url: string,
  key: string,
  pin?: object,
  { fresh = false }: { readonly fresh?: boolean } = {},
): PythonCaller {
  const driver = join(packageDir, 'test/plugins/clients/python/driver.py');
  const child = spawn(pythonCommand('python'), [driver, url, key, JSON.stringify(pin ?? null), String(fresh)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONPATH: folder, PYTHONUTF8: '1' },
  });
  const waiting = new Map<string, (outcome: Outcome) => void>();
  const names = new WeakMap<Outcome, string>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, outcome } = JSON.parse(line) as { readonly id: string; readonly outcome: Outcome };
    names.set(outcome, id);
    waiting.get(id)?.(outcome);
    waiting.delete(id);
  });
  let count = 0;
  const ask = (asked: object): Promise<Outcome> =>
    new Promise((resolve) => {
      const id = String(count++);
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ id, ...asked })}\n`);
    });
  return {
    run: (orb, inputs, options) => ask({ op: 'run', orb, inputs, ...options }),
    settle: (outcome, options) => ask({ op: 'settle', of: names.get(outcome), ...options }),
    async stop() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'close');
    },
  };
}
