import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** A server under load: where it is, the key it takes, and its process. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly key: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts an echo server of this folder, with arguments. */
export async function startEcho(name: string, file: string, ...args: readonly string[]): Promise<Target> {
  const child = spawn(process.execPath, [...nodeFlags, join(import.meta.dirname, file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { port } = JSON.parse(await firstLine(child)) as { port: number };
  return { name, url: `http://127.0.0.1:${port}`, key: 'none', pid: child.pid ?? 0, stop: () => end(child) };
}

/** How the platform under load differs from the plain one. */
export interface GovernedOptions {
  /** CPU profiles of its threads are written there at the end. */
  readonly profileDir?: string;
  /** Files below `data/`. */
  readonly data?: Readonly<Record<string, object>>;
  /** More members of platform.json. */
  readonly settings?: object;
  /** What serves, with its arguments; default: `orb serve`. */
  readonly program?: readonly string[];
  /** The key that it takes; default: that of the administrator, which the first server on a store makes. */
  readonly key?: string;
  /** More variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** A home that is kept, with its own platform.json if it has one; default: a temporary home. */
  readonly home?: string;
}

const orbServe = [join(root, 'kernel/orb.js'), 'serve', '--json'];

// All servers have the flags of `npm start`: what is compared is the program.
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
const nodeFlags = scripts.start.split(' ').filter((word) => word.startsWith('--'));

/** Starts the platform in a home. */
export async function startGoverned(options: GovernedOptions = {}): Promise<Target> {
  const { profileDir, home = mkdtempSync(join(tmpdir(), 'orb-bench-')), program = orbServe } = options;
  prepareHome(home, options);
  const profile = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const env = { ...process.env, ORB_HOME: home, ORB_LOG_LEVEL: 'warn', ...options.env };
  const child = spawn(process.execPath, [...nodeFlags, ...profile, ...program], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { listeners } = JSON.parse(await untilParsed(child)) as { listeners: { url: string }[] };
  const key = options.key ?? readFileSync(join(home, 'data/state/admin.key'), 'utf8').trim();
  const stop = async (): Promise<void> => {
    await end(child);
    if (options.home === undefined) rmSync(home, { recursive: true, force: true });
  };
  return { name: 'governed run', url: listeners[0]?.url ?? '', key, pid: child.pid ?? 0, stop };
}

function prepareHome(home: string, { data = {}, settings = {} }: GovernedOptions): void {
  const platform = join(home, 'data/platform.json');
  if (existsSync(platform)) return;
  mkdirSync(join(home, 'data'), { recursive: true });
  const providers = { echo: { adapter: 'echo/local' } };
  writeFileSync(platform, JSON.stringify({ listen: [{ address: '127.0.0.1:0' }], providers, ...settings }));
  for (const [name, content] of Object.entries(data)) {
    mkdirSync(join(home, 'data', name, '..'), { recursive: true });
    writeFileSync(join(home, 'data', name), JSON.stringify(content));
  }
}

/** User and system time of a process so far, in microseconds (100 ticks a second). */
export function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function firstLine(child: ChildProcess): Promise<string> {
  return collected(child, (text) => text.includes('\n'));
}

function untilParsed(child: ChildProcess): Promise<string> {
  return collected(child, (text) => text.trimEnd().endsWith('}') && parses(text));
}

function collected(child: ChildProcess, done: (text: string) => boolean): Promise<string> {
  return new Promise((resolve_, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (done(text)) resolve_(text);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve_) => {
    child.removeAllListeners('exit');
    child.once('exit', () => resolve_());
    child.kill('SIGTERM');
  });
}
