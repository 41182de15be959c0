import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { distPath } from '../../plugins/policy/toolchain/locate.ts';
import { load, writeScript } from './load.ts';
import { quiet } from './quiet.ts';
import { startEcho, startGoverned, type Target } from './server.ts';
import { printTable, times, type Row } from './table.ts';

/** What a server holds. Memory in MB. */
interface Held {
  readonly what: string;
  readonly rss: number;
  /** Not backed by a file. */
  readonly anonymous: number;
  /** Used heap of the main thread; NaN: it does not tell. */
  readonly heap: number;
  readonly threads: number;
}

const policy = 'package orb.policies.bench\n\nallow if input.subject.mode == "live"\n';
// The compiler ends after a minute without work.
const longestSleepMs = 90_000;

/**
 * Prints what a server holds: fresh, with the policy compiler awake and asleep again, after a number of runs at 256
 * connections, and some seconds later.
 */
export async function memoryUse(
  dir: string,
  { runs, rest }: { readonly runs: number; readonly rest: number },
): Promise<void> {
  const stock = await startEcho('stock Koa', 'stock.ts');
  await quiet(stock.pid);
  const baseline = held('stock Koa, idle', stock);
  await stock.stop();
  const target = await startGoverned();
  const rows: Held[] = [];
  const look = async (what: string): Promise<void> => void rows.push(await heldBy(what, target));
  const told: string[] = [];
  try {
    await quiet(target.pid);
    await look('fresh and idle');
    if (existsSync(distPath())) await wakeCompiler(target, look);
    else told.push('left out: the policy compiler; npm run build:compiler makes one');
    const done = await runThem(dir, target, runs);
    await look(`after ${done} runs, 256 connections`);
    await delay(rest * 1000);
    await look(`${rest} s later`);
  } finally {
    await target.stop();
  }
  print([baseline, ...rows], rows[0] ?? baseline);
  for (const line of told) console.log(`  ${line}`);
}

async function wakeCompiler(target: Target, look: (what: string) => Promise<void>): Promise<void> {
  const response = await fetch(`${target.url}/policies/validate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ files: [{ path: 'bench.rego', source: policy }] }),
  });
  if (!response.ok) throw new Error(`the policy was not checked: ${await response.text()}`);
  await response.arrayBuffer();
  await look('the policy compiler awake');
  const awake = figure(target.pid, 'Threads');
  for (const end = performance.now() + longestSleepMs; performance.now() < end; await delay(500))
    if (figure(target.pid, 'Threads') < awake) break;
  await look('the policy compiler asleep again');
}

async function runThem(dir: string, target: Target, wanted: number): Promise<number> {
  const script = join(dir, 'memory.lua');
  writeScript(script, target.key);
  await load(target, script, 64, 1);
  let done = 0;
  while (done < wanted) {
    const { errors, requests } = await load(target, script, 256, 1);
    if (requests === errors) throw new Error('no run was completed');
    done += requests - errors;
  }
  return done;
}

function held(what: string, { pid }: Target): Held {
  const mb = (name: string): number => figure(pid, name) / 1024;
  return { what, rss: mb('VmRSS'), anonymous: mb('RssAnon'), heap: NaN, threads: figure(pid, 'Threads') };
}

async function heldBy(what: string, target: Target): Promise<Held> {
  const known = held(what, target);
  const response = await fetch(`${target.url}/metrics`, { headers: { authorization: `Bearer ${target.key}` } });
  const bytes = Number(/^orb_nodejs_heap_size_used_bytes (\S+)/m.exec(await response.text())?.[1]);
  return { ...known, heap: bytes / 1024 / 1024 };
}

// One line of /proc/PID/status: kB, or a count.
function figure(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
}

function print(all: readonly Held[], fresh: Held): void {
  printTable(
    'Memory of a server, MB',
    ['RSS', 'of fresh', 'anonymous', 'heap used', 'threads'],
    all.map(({ what, rss, anonymous, heap, threads }): Row => [
      what,
      rss.toFixed(0),
      times(rss, fresh.rss),
      anonymous.toFixed(0),
      Number.isNaN(heap) ? '–' : heap.toFixed(0),
      String(threads),
    ]),
  );
}
