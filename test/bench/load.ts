import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { requestBody, type ExecuteBody } from './payload.ts';
import { cpuMicros, type Target } from './server.ts';

const run = promisify(execFile);

/** What one round of load measured. */
export interface Round {
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

/** Writes the request of the bench as a script for wrk. */
export function writeScript(path: string, key: string): void {
  writeFileSync(path, `${scriptOf(requestBody, key)}\n`);
}

/** Puts a target under load by wrk on one thread. */
export async function load(
  target: Target,
  script: string,
  connections: number,
  seconds: number,
  orbiset = 'default',
): Promise<Round> {
  const before = cpuMicros(target.pid);
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '-s',
    script,
    `${target.url}/orbisets/${orbiset}/execute`,
  ];
  const { stdout } = await run('wrk', args);
  const used = cpuMicros(target.pid) - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const bad = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  const sockets =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/
      .exec(stdout)
      ?.slice(1)
      .reduce((sum, n) => sum + Number(n), 0) ?? 0;
  return {
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
