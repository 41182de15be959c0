// node test/soak/models/heap.ts: prints what lives in a server after each tenth of many streams, and fails when it grows.
// HEAP_STREAMS: how many streams (100,000); HEAP_CALLERS: how many at once (64); HEAP_MOST_MB: how much more may live at the
// end than after the first half (4).
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { completionOf, completionsPath, startBed } from '../../bench/models/bed.ts';
import { quiet } from '../../bench/quiet.ts';
import type { Target } from '../../bench/server.ts';

const streams = Number(process.env['HEAP_STREAMS'] ?? 100_000);
const callers = Number(process.env['HEAP_CALLERS'] ?? 64);
const mostMb = Number(process.env['HEAP_MOST_MB'] ?? 4);
const looks = 10;
const mb = 1024 * 1024;

/** What a server holds once its garbage is collected. MB. */
interface Held {
  /** The used heap of the thread that serves. */
  readonly heap: number;
  /** Memory of the process that is not backed by a file. */
  readonly anonymous: number;
}

const collect = new URL('../collect.ts', import.meta.url);
const { governed, stop } = await startBed({ env: { NODE_OPTIONS: `--import=${collect.href}` } });
const pool = new Pool(governed.url, { connections: callers });
try {
  const held: number[] = [];
  for (let look = 1; look <= looks; look += 1) {
    let left = streams / looks;
    const caller = async (): Promise<void> => {
      while (left-- > 0) await streamOne(governed);
    };
    await Promise.all(Array.from({ length: callers }, caller));
    const { anonymous, heap } = await heldBy(governed);
    held.push(heap);
    const after = `after ${(look * streams) / looks} streams`;
    console.log(`${after}: heap ${heap.toFixed(1)} MB, anonymous memory ${anonymous.toFixed(0)} MB`);
  }
  const growth = (held.at(-1) ?? NaN) - (held[looks / 2 - 1] ?? NaN);
  console.log(`  the heap has ${growth.toFixed(1)} MB more than after the first half; ${mostMb} at most`);
  if (!(growth <= mostMb)) process.exitCode = 1;
} finally {
  await pool.destroy();
  await stop();
}

async function streamOne({ key }: Target): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify(completionOf({ stream: true }));
  const answer = await pool.request({ method: 'POST', path: completionsPath, headers, body });
  const text = await answer.body.text();
  if (!text.trimEnd().endsWith('data: [DONE]')) throw new Error(`a stream was not whole: ${text.slice(-500)}`);
}

async function heldBy({ key, pid, url }: Target): Promise<Held> {
  // The auditor and the ledger follow.
  await quiet(pid);
  process.kill(pid, 'SIGUSR2');
  // The other threads do it at the same time; a second is ten times what it takes.
  await pause(1000);
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  const heap = Number(/^orb_nodejs_heap_size_used_bytes (\S+)/m.exec(await metrics.text())?.[1]) / mb;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return { heap, anonymous: Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1024 };
}
