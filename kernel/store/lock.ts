import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../error.ts';

/** A held lock of a state dir. */
export interface Lock {
  /** Removes the file, if it is still ours. */
  release(): void;
}

/**
 * Takes the lock file of a state dir: first line the pid, second when the process started (empty where unknown).
 * One left by a dead process is taken over. Throws ConfigError when a live process holds it.
 */
export function takeLock(stateDir: string): Lock {
  const path = join(stateDir, 'lock');
  const own = `${process.pid}\n${startOf(process.pid) ?? ''}\n`;
  if (!create(path, own)) {
    removeStale(path, stateDir);
    if (!create(path, own)) throw refusal(stateDir, path, 'another process');
  }
  return {
    release() {
      if (read(path) === own) rmSync(path, { force: true });
    },
  };
}

function create(path: string, content: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, content);
    fsyncSync(file);
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function removeStale(path: string, stateDir: string): void {
  const content = read(path);
  if (content === undefined) return;
  const [pid = '', start = ''] = content.split('\n');
  if (/^\d+$/.test(pid) ? isAlive(Number(pid), start) : isFresh(path))
    throw refusal(stateDir, path, pid === '' ? 'another process' : `process ${pid}`);
  // Moved aside and looked at again: whoever takes over at the same moment must not lose a fresh lock unnoticed.
  // Should two still pass, the owner epoch in the store lets only the later one commit.
  const aside = `${path}.${process.pid}`;
  renameSync(path, aside);
  if (read(aside) !== content) {
    renameSync(aside, path);
    throw refusal(stateDir, path, 'another process');
  }
  rmSync(aside);
}

function refusal(stateDir: string, path: string, owner: string): ConfigError {
  return new ConfigError([
    `ORB_STATE_DIR: ${stateDir} is in use by ${owner} (${path}); stop it, or choose another folder`,
  ]);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

// A lock without a pid is being written at this moment, or its writer lost power in the middle of it.
function isFresh(path: string): boolean {
  return Date.now() - statSync(path).mtimeMs < 10_000;
}

function isAlive(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  if (process.platform !== 'linux') return true;
  const now = startOf(pid);
  // A pid that is used again has another start; so has every pid after a reboot.
  return now !== undefined && (start === '' || now === start);
}

// Field 22 of /proc/<pid>/stat, in ticks since boot (proc_pid_stat(5)); a zombie counts as gone.
function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[19];
}
