import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { load } from '../load.ts';
import { quiet } from '../quiet.ts';
import { printTable, type Row } from '../table.ts';
import { completionOf, completionsPath, startBed, writeCompletions } from './bed.ts';

const body = JSON.stringify(completionOf({ model: 'silent', stream: true }));
const atOnce = 50;

/** Prints the memory that streams take whose vendor is silent after the first part. */
export async function idleStreams(dir: string, count: number): Promise<void> {
  const { governed, stop } = await startBed();
  const pool = new Pool(governed.url, { connections: count, bodyTimeout: 0 });
  const held: [name: string, mb: number][] = [];
  const look = async (name: string): Promise<void> => {
    await quiet(governed.pid);
    held.push([name, residentMb(governed.pid)]);
  };
  try {
    // What a server holds once it has worked is no part of the streams.
    const script = join(dir, 'idle.lua');
    writeCompletions(script, governed.key, { stream: true });
    await load(governed, script, 64, 8);
    await look('after streams under load, none open');
    const ends: (() => void)[] = [];
    for (let opened = 0; opened < count; opened += atOnce)
      ends.push(...(await Promise.all(Array.from({ length: atOnce }, () => open(pool, governed.key)))));
    await look(`${count} streams, idle`);
    await pause(20_000);
    await look('20 s later');
    for (const end of ends) end();
    await look('all closed');
  } finally {
    await pool.destroy();
    await stop();
  }
  const base = held[0]?.[1] ?? 0;
  const rows = held.map(([name, mb]): Row => [name, mb.toFixed(0), (mb - base).toFixed(0)]);
  printTable('Memory of the server, MB', ['RSS', 'more'], rows);
  console.log('  goal: 150 MB more at most with 1,000 streams');
}

// Resolves when the first part is there; what it resolves to ends the stream.
async function open(pool: Pool, key: string): Promise<() => void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await pool.request({ method: 'POST', path: completionsPath, headers, body });
  if (answer.statusCode !== 200) throw new Error(await answer.body.text());
  await new Promise<void>((resolve) => answer.body.once('data', () => resolve()));
  answer.body.on('error', () => undefined);
  return () => void answer.body.destroy();
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
