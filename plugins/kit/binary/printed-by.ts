import { spawnSync } from 'node:child_process';

/** Where a program runs, and with which variables; those of this process unless given. */
export interface Setting {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program to its end and returns what it prints; throws what it says when it fails. */
export function printedBy(command: string, words: readonly string[], setting: Setting): string {
  const options = { ...setting, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  const { error, signal, status, stderr, stdout } = spawnSync(command, words, options);
  if (error !== undefined) throw error;
  if (status !== 0)
    throw new Error(`${[command, ...words].join(' ')}: ${stderr.trim() || `it ended with ${status ?? signal}`}`);
  process.stderr.write(stderr);
  return stdout;
}
