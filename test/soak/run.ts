import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** How a soak has ended. */
export interface SoakEnd {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `test/soak/main.ts` with more variables, until it ends. */
export function runSoak(more: Readonly<Record<string, string>>): Promise<SoakEnd> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
      env: { ...process.env, ...more },
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
    child.once('close', (status) => resolve({ status, ...said }));
  });
}
