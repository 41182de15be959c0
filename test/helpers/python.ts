import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const python = fileURLToPath(new URL('../../dist/python/bin/python', import.meta.url));

/** Runs Python with its packages; answers what it printed. Rejects with all of it when it fails. */
export async function runPython(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const path = `${dirname(python)}:${process.env['PATH'] ?? ''}`;
  const options = { cwd, env: { ...process.env, PYTHONUTF8: '1', ...env, PATH: path }, maxBuffer: 64 * 1024 * 1024 };
  const run = promisify(execFile)(python, [...args], options);
  const { stdout } = await run.catch((failure: { readonly stdout: string; readonly stderr: string }) => {
    throw new Error(
      `${args.slice(0, 2).join(' ')} failed\n${failure.stdout.slice(-20_000)}\n${failure.stderr.slice(-20_000)}`,
    );
  });
  return stdout;
}

/** The path of a command that came with the packages. */
export function pythonCommand(name: string): string {
  return join(dirname(python), name);
}
