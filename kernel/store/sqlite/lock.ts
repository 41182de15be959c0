import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../error.ts';
import Driver from 'better-sqlite3';

// A held lock, or a file that this process has locked.
interface Lock {
  /** Removes the file, if it is still ours, and ends the lock. */
  release(): void;
}

/** Takes the lock of a state dir. Throws ConfigError when a live process has it, also one of another PID namespace. */
export function takeLock(stateDir: string): Lock {
  const path = join(stateDir, 'lock');
  const held = lockHeld(stateDir);
  const taken = held === undefined ? (holderOf(path) ?? somebody) : tryLock(path);
  if (typeof taken !== 'string')
    return {
      release() {
        taken.release();
        held?.release();
      },
    };
  held?.release();
  throw new ConfigError([
    `ORB_STATE_DIR: ${stateDir} is in use by ${taken} (${path}); stop it, or choose another folder`,
  ]);
}

function lockHeld(stateDir: string): Lock | undefined {
  try {
    return lockFile(join(stateDir, 'lock.held'));
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ConfigError([`ORB_STATE_DIR: ${stateDir} cannot be locked (${code}); make its files writable`]);
  }
}

function holderOf(path: string): string | undefined {
  const [pid = '', start = ''] = read(path)?.split('\n') ?? [];
  if (!/^\d+$/.test(pid)) return undefined;
  return isAlive(Number(pid), start) ? `process ${pid}` : 'a process of another PID namespace, such as a container';
}

/** Takes a lock file, which names a pid and its start, also that of a dead process. Returns another holder. */
export function tryLock(path: string): Lock | string {
  const own = `${process.pid}\n${startOf(process.pid) ?? ''}\n`;
  if (!create(path, own)) {
    const holder = removeStale(path);
    if (holder !== undefined) return holder;
    if (!create(path, own)) return somebody;
  }
  return {
    release() {
      if (read(path) === own) rmSync(path, { force: true });
    },
  };
}

const somebody = 'another process';

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

function removeStale(path: string): string | undefined {
  const content = read(path);
  if (content === undefined) return undefined;
  const [pid = '', start = ''] = content.split('\n');
  try {
    if (/^\d+$/.test(pid) ? isAlive(Number(pid), start) : isFresh(path))
      return pid === '' ? somebody : `process ${pid}`;
    return moveAside(path, content);
  } catch (error) {
    // Another process has removed it meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return somebody;
    throw error;
  }
}

function moveAside(path: string, content: string): string | undefined {
  // Another process may take over now; should two pass, the owner epoch in the store lets only the later one commit.
  const aside = `${path}.${process.pid}`;
  renameSync(path, aside);
  if (read(aside) !== content) {
    renameSync(aside, path);
    return somebody;
  }
  rmSync(aside);
  return undefined;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

// A lock without a pid is being written now, or its writer lost power while writing.
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
  // A reused pid has another start time; so has every pid after a reboot.
  return now !== undefined && (start === '' || now === start);
}

// Field 22 of /proc/<pid>/stat, in ticks since boot (proc_pid_stat(5)); a zombie counts as gone.
function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[19];
}

const attempts = 5;
// An unreferenced database is closed, which releases the lock.
const locked = new Set<Driver.Database>();

// Holds a lock of the operating system by a transaction on an empty database. Undefined: another process has it.
function lockFile(path: string): Lock | undefined {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const held = begin(path, { create: true });
    if (held === 'busy') return undefined;
    if (held === 'none') return { release: () => undefined };
    // The previous owner removed the file when it released the lock: a lock on a deleted file protects nothing.
    const other = begin(path, { create: false });
    if (other === 'busy') {
      locked.add(held);
      return { release: () => release(path, held) };
    }
    if (other !== 'none') other.close();
    held.close();
  }
  return undefined;
}

// First the file, so that no process locks it between the two.
function release(path: string, held: Driver.Database): void {
  if (!locked.delete(held)) return;
  rmSync(path, { force: true });
  held.close();
}

function begin(path: string, { create }: { readonly create: boolean }): Driver.Database | 'busy' | 'none' {
  let driver: Driver.Database | undefined;
  try {
    driver = new Driver(path, { timeout: 0, fileMustExist: !create });
    // SQLite makes no second file.
    driver.pragma('journal_mode = MEMORY');
    driver.exec('BEGIN EXCLUSIVE');
    return driver;
  } catch (error) {
    driver?.close();
    const { code = '' } = error as { readonly code?: string };
    if (code.startsWith('SQLITE_BUSY')) return 'busy';
    if (!create || code.startsWith('SQLITE_IOERR')) return 'none';
    throw error;
  }
}
