// node test/soak/models/heap.ts: prints what lives in a server after each tenth of many streams, and fails when it grows.
// HEAP_STREAMS: how many streams (100,000); HEAP_CALLERS: how many at once (64); HEAP_MOST_MB: how much more may live at the
// end than after the first half (4).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { load } from '../../bench/load.ts';
import { startBed, writeCompletions } from '../../bench/models/bed.ts';
import { quiet } from '../../bench/quiet.ts';
import type { Target } from '../../bench/server.ts';
import { printTable, type Row } from '../../bench/table.ts';

const streams = Number(process.env['HEAP_STREAMS'] ?? 100_000);
const callers = Number(process.env['HEAP_CALLERS'] ?? 64);
const mostMb = Number(process.env['HEAP_MOST_MB'] ?? 4);
const looks = 10;
const mb = 1024 * 1024;

/** What a server holds after so many streams, once its garbage is collected. MB. */
interface Held {
  readonly streams: number;
  /** The used heap of the thread that serves. */
  readonly heap: number;
  /** Memory of the process that is not backed by a file. */
  readonly anonymous: number;
}

const collect = new URL('../collect.ts', import.meta.url);
const dir = mkdtempSync(join(tmpdir(), 'orb-heap-'));
const { governed, stop } = await startBed({ env: { NODE_OPTIONS: `--import=${collect.href}` } });
try {
  const script = join(dir, 'stream.lua');
  writeCompletions(script, governed.key, { stream: true });
  const held: Held[] = [];
  for (let done = 0; held.length < looks;) {
    const { errors, requests } = await load(governed, script, callers, 2);
    if (errors > 0) throw new Error(`${errors} of ${requests} streams failed`);
    done += requests;
    if (done >= ((held.length + 1) * streams) / looks) held.push(await look(governed, done));
  }
  const rows = held.map(({ anonymous, heap, streams: after }): Row => {
    return [`after ${after} streams`, heap.toFixed(1), anonymous.toFixed(0)];
  });
  printTable('What lives in a server, MB', ['heap', 'anonymous'], rows);
  const growth = (held.at(-1)?.heap ?? NaN) - (held[looks / 2 - 1]?.heap ?? NaN);
  console.log(`  the heap has ${growth.toFixed(1)} MB more than after the first half; ${mostMb} at most`);
  if (!(growth <= mostMb)) process.exitCode = 1;
} finally {
  await stop();
  rmSync(dir, { recursive: true, force: true });
}

async function look({ key, pid, url }: Target, after: number): Promise<Held> {
  // The auditor and the ledger follow.
  await quiet(pid);
  process.kill(pid, 'SIGUSR2');
  // The other threads do it at the same time; a second is ten times what it takes.
  await pause(1000);
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  const heap = Number(/^orb_nodejs_heap_size_used_bytes (\S+)/m.exec(await metrics.text())?.[1]) / mb;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return { streams: after, heap, anonymous: Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1024 };
}
