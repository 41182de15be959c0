import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { whenReady } from './room.ts';

/** A server that a command of a page has started on this machine. */
export interface Started {
  /** Sends SIGTERM to all processes of the command, and waits until all have ended. */
  stop(): Promise<void>;
}

/** What a command is run with. */
export interface Start {
  /** Its folder. */
  readonly folder: string;
  /** Where its server listens. */
  readonly url: string;
  /** Variables; those of a shell without anything of this checkout unless given. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a command that starts a server, as a person would in a terminal; npm gets nothing from elsewhere. */
export async function startByCommand(command: string, { folder, url, env = plain(folder) }: Start): Promise<Started> {
  const npx = realpathSync(execFileSync('sh', ['-c', 'command -v npx'], { encoding: 'utf8' }).trim());
  // Of this Node, not of one that the machine may have; and it asks nobody whether it may go on.
  const script = command.replace(/^npx /m, `'${process.execPath}' '${npx}' --yes `);
  const given = { ...env, ORB_LISTEN: new URL(url).host };
  const child = spawn('/bin/sh', ['-c', script], {
    cwd: folder,
    env: given,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const runs = (): boolean => child.exitCode === null && child.signalCode === null;
  const stop = async (): Promise<void> => {
    signalAll(child, 'SIGTERM');
    await ended;
    // The shell ends first: an engine unmounts and removes its container after that.
    while (signalAll(child, 0)) await setTimeout(50);
  };
  await whenReady(url, () => (runs() ? undefined : errors)).catch((error: unknown) => {
    signalAll(child, 'SIGKILL');
    throw error;
  });
  return { stop };
}

// False when no process of the command is left.
function signalAll({ pid = 0 }: ChildProcess, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

function plain(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    ...{ HOME: folder, npm_config_cache: join(folder, '.npm'), npm_config_offline: 'true' },
  };
}
