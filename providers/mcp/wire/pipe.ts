import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Log } from '../../../kernel/adapter.ts';
import { moments } from './moment.ts';
import type { Pipe } from './client.ts';
import { longestAnswer } from './fetch.ts';

/** The process of a server, as the configuration names it. */
export interface ProcessSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** The whole environment of the process, but for a PATH of the system's own folders. */
  readonly env: Readonly<Record<string, string>>;
}

// The process does not get our environment, and without a PATH most commands do not start.
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const mostWaiting = 16 * 1024 * 1024;
const killAfterMs = 2000;
// Messages that answer nothing: progress and logging of an honest server stay far below.
const mostPerSecond = 5000;
const loggedLines = 100;
const loggedLength = 1000;

/** Starts a process and speaks with it in lines of JSON; its group ends with the pipe. */
export function openPipe(settings: ProcessSettings, log: Log): Pipe {
  let child: ChildProcess | undefined;
  let over = false;
  const pipe: Pipe = {
    get pid() {
      return child?.pid ?? null;
    },
    stderr: null,
    start: () =>
      new Promise((resolve, reject) => {
        const started = startProcess(settings);
        child = started;
        started.once('spawn', resolve);
        started.once('error', (error) => {
          reject(error);
          end();
        });
        started.once('exit', end);
        started.stdin.on('error', (error) => pipe.onerror?.(error));
        started.stdout.on(
          'data',
          reader(pipe, () => kill(started, 'SIGKILL')),
        );
        started.stderr.on('data', stderrLogger(log, Object.values(settings.env)));
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        const { stdin } = child ?? {};
        if (over || stdin === undefined || stdin === null || !stdin.writable)
          return reject(new Error('the server process has ended'));
        if (stdin.writableLength > mostWaiting) return reject(new Error('the server does not read its input'));
        const moment = moments.getStore();
        if (moment !== undefined) moment.written = true;
        stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      }),
    async close() {
      const held = child;
      if (held !== undefined) await stop(held);
      end();
    },
  };
  const end = (): void => {
    if (over) return;
    over = true;
    if (child !== undefined) kill(child, 'SIGKILL');
    pipe.onclose?.();
  };
  return pipe;
}

function startProcess({ command, args, cwd, env }: ProcessSettings): ChildProcessWithoutNullStreams {
  return spawn(command, [...args], {
    env: { PATH: systemPath, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own group, so that what it starts ends with it.
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stdin?.end();
  kill(child, 'SIGTERM');
  const timer = setTimeout(() => kill(child, 'SIGKILL'), killAfterMs);
  await ended;
  clearTimeout(timer);
}

/** Signals the whole group: what a server has started outlives it otherwise. */
function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone.
  }
}

/** Cuts the output into lines and hands on each message; a line or a flood beyond the limits ends the process. */
function reader(pipe: Pipe, abort: () => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  const flood = { second: 0, count: 0 };
  const fail = (reason: string): void => {
    parts = [];
    pipe.onerror?.(new Error(reason));
    abort();
  };
  return (chunk) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8');
      [parts, length] = [[], 0];
      rest = rest.subarray(end + 1);
      if (!deliver(pipe, line, flood)) return fail('the server sends too many messages');
    }
    length += rest.length;
    if (length > longestAnswer) return fail('the server wrote a line that is too long');
    parts.push(rest);
  };
}

function deliver(pipe: Pipe, line: string, flood: { second: number; count: number }): boolean {
  const second = Math.floor(performance.now() / 1000);
  if (second !== flood.second) Object.assign(flood, { second, count: 0 });
  flood.count += 1;
  const message = parsed(line);
  if (message === undefined) pipe.onerror?.(new Error('the server wrote a line that is not a message'));
  else {
    if ('id' in message && !('method' in message)) flood.count -= 1;
    pipe.onmessage?.(message as never);
  }
  return flood.count <= mostPerSecond;
}

function parsed(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0';
    return isMessage ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Logs what a server writes to its error output: some lines a minute, each cut, and no value of its environment. */
function stderrLogger(log: Log, secrets: readonly string[]): (chunk: Buffer) => void {
  const hidden = secrets.filter((value) => value.length >= 4);
  const shown = (line: string): string => hidden.reduce((text, value) => text.replaceAll(value, '…'), line);
  let minute = 0;
  let count = 0;
  return (chunk) => {
    const now = Math.floor(performance.now() / 60_000);
    if (now !== minute) [minute, count] = [now, 0];
    for (const line of chunk.subarray(0, 65_536).toString('utf8').split('\n')) {
      if (line.trim() === '' || (count += 1) > loggedLines) continue;
      log.debug({ stderr: shown(line).slice(0, loggedLength) }, 'an MCP server wrote to its error output');
    }
  };
}
