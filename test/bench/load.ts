import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { requestBody, type ExecuteBody } from './payload.ts';
import { cpuMicros, type Target } from './server.ts';

const run = promisify(execFile);

/** What one round of load measured. */
export interface Round {
  /** How many were answered. */
  readonly requests: number;
  readonly perSecond: number;
  /** Server CPU, user and system, per request. */
  readonly cpuMicros: number;
  /** Answers that were not 2xx or 3xx, and socket errors. */
  readonly errors: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Makes the script for wrk that sends a body with a key. */
export function scriptOf(body: ExecuteBody, key: string): string {
  const text = JSON.stringify(body).replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return [
    `wrk.method = 'POST'`,
    `wrk.body = '${text}'`,
    `wrk.headers['Content-Type'] = 'application/json'`,
    `wrk.headers['Authorization'] = 'Bearer ${key}'`,
  ].join('\n');
}

/** Writes the request of the bench as a script for wrk. `keyed`: each request has an Idempotency-Key of its own. */
export function writeScript(path: string, key: string, { keyed = false } = {}): void {
  const counting = [
    'local n = 0',
    // Of each start of wrk: a key that an earlier one has sent would be a repetition.
    `local start = io.open('/proc/sys/kernel/random/uuid'):read()`,
    'request = function()',
    '  n = n + 1',
    '  wrk.headers["Idempotency-Key"] = start .. "-" .. n',
  ];
  const more = keyed ? [...counting, '  return wrk.format()', 'end'] : [];
  writeFileSync(path, `${[scriptOf(requestBody, key), ...more].join('\n')}\n`);
}

/** Load that goes on. */
export interface RunningLoad {
  /** Resolves when its time is over. */
  readonly ended: Promise<Round>;
  /** Ends it before its time; resolves to what it measured so far. */
  stop(): Promise<Round>;
}

/** Puts a target under load by wrk on one thread. */
export function load(
  target: Target,
  script: string,
  connections: number,
  seconds: number,
  orbiset = 'default',
): Promise<Round> {
  return startLoad(target, script, connections, seconds, orbiset).ended;
}

/** Begins to put a target under load, for some seconds at most. */
export function startLoad(
  { pid, url }: Target,
  script: string,
  connections: number,
  seconds: number,
  orbiset = 'default',
): RunningLoad {
  const before = cpuMicros(pid);
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script];
  const running = run('wrk', [...options, `${url}/orbisets/${orbiset}/execute`]);
  const ended = running.then(({ stdout }) => roundOf(stdout, cpuMicros(pid) - before));
  return {
    ended,
    stop() {
      running.child.kill('SIGINT');
      return ended;
    },
  };
}

function roundOf(stdout: string, used: number): Round {
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const bad = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  const sockets =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/
      .exec(stdout)
      ?.slice(1)
      .reduce((sum, n) => sum + Number(n), 0) ?? 0;
  return {
    requests,
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0),
    cpuMicros: requests === 0 ? 0 : used / requests,
    errors: bad + sockets,
    p50: milliseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
    p99: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
  };
}

function milliseconds(match: RegExpExecArray | null): number {
  const factor = { us: 0.001, ms: 1, s: 1000 }[match?.[2] ?? 'ms'] ?? 1;
  return Number(match?.[1] ?? 0) * factor;
}

/** The middle of several figures. */
export function median(figures: readonly number[]): number {
  return [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
}
