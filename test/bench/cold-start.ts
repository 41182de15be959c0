import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageDir } from '../helpers/folder.ts';
import { closedPort } from '../helpers/vendor.ts';
import { median } from './load.ts';
import { requestBody } from './payload.ts';
import { startEcho } from './server.ts';
import { printTable, times, type Row } from './table.ts';

/** One start; milliseconds since the process was spawned. */
interface Start {
  readonly health: number;
  readonly run: number;
}

const binary = join(packageDir, 'dist/orb');
const longestMs = 60_000;

/** Prints how long a server takes to its first answer and to its first governed run, in an empty home and again. */
export async function coldStarts(count: number): Promise<void> {
  const stock: number[] = [];
  for (let at = 0; at < count; at += 1) stock.push(await stockStart());
  const base = median(stock);
  const rows: Row[] = [['stock Koa, until it listens', base.toFixed(0), times(base, base), '–', '']];
  rows.push(
    ...(await starts('node kernel/orb.js serve', [process.execPath, join(packageDir, 'kernel/orb.js')], count, base)),
  );
  if (existsSync(binary)) rows.push(...(await starts('dist/orb serve', [binary], count, base)));
  printTable(`From spawn, median of ${count}`, ['/health ms', 'of stock', 'first run ms', 'of stock'], rows);
  if (!existsSync(binary)) console.log('  left out: dist/orb is not built');
}

async function stockStart(): Promise<number> {
  const begun = performance.now();
  const target = await startEcho('stock Koa', 'stock.ts');
  const took = performance.now() - begun;
  await target.stop();
  return took;
}

async function starts(name: string, command: readonly string[], count: number, base: number): Promise<Row[]> {
  const [first, second]: [Start[], Start[]] = [[], []];
  for (let at = 0; at < count; at += 1) {
    const home = mkdtempSync(join(tmpdir(), 'orb-bench-start-'));
    try {
      first.push(await startOnce(command, home));
      second.push(await startOnce(command, home));
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
  const row = (what: string, all: readonly Start[]): Row => {
    const [health, run] = [median(all.map((one) => one.health)), median(all.map((one) => one.run))];
    return [`${name}, ${what}`, health.toFixed(0), times(health, base), run.toFixed(0), times(run, base)];
  };
  return [row('empty home', first), row('second start', second)];
}

async function startOnce([program = '', ...words]: readonly string[], home: string): Promise<Start> {
  const port = await closedPort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, ORB_HOME: home, ORB_LISTEN: `127.0.0.1:${port}`, ORB_LOG_LEVEL: 'error' };
  const begun = performance.now();
  const child = spawn(program, [...words, 'serve'], { cwd: home, env, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    await answering(child, `${url}/health`);
    const health = performance.now() - begun;
    await runOnce(url, readFileSync(join(home, 'data/state/admin.key'), 'utf8').trim());
    return { health, run: performance.now() - begun };
  } finally {
    await end(child);
  }
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  for (const deadline = performance.now() + longestMs; performance.now() < deadline; await delay(2)) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
  }
  throw new Error('the server did not answer for a minute');
}

async function runOnce(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify(requestBody);
  const response = await fetch(`${url}/orbisets/default/execute`, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the first run was not completed: ${text}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exit;
}
