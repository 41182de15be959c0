import { execFileSync, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { whenReady } from './room.ts';

/** A server that a command of a page has started on this machine. */
export interface Started {
  /** Sends SIGTERM to all processes of the command, and waits for the end of the command. */
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
  // With a trap the shell outlives the signal until its command has ended, and an engine has removed its container.
  const child = spawn('/bin/sh', ['-c', `trap : TERM\n${script}`], {
    cwd: folder,
    env: given,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const runs = (): boolean => child.exitCode === null && child.signalCode === null;
  const signal = (name: NodeJS.Signals): boolean => runs() && process.kill(-(child.pid ?? 0), name);
  const stop = async (): Promise<void> => {
    signal('SIGTERM');
    await ended;
  };
  await whenReady(url, () => (runs() ? undefined : errors)).catch((error: unknown) => {
    signal('SIGKILL');
    throw error;
  });
  return { stop };
}

function plain(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    ...{ HOME: folder, npm_config_cache: join(folder, '.npm'), npm_config_offline: 'true' },
  };
}
