import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { median } from '../load.ts';
import { printTable, type Row } from '../table.ts';
import { completionOf, completionsPath, startBed } from './bed.ts';

const body = JSON.stringify(completionOf({ stream: true }));
const warmUp = 300;
const inTurn = 20;

/** Prints how much later the first part of a stream comes through the platform than from the double. */
export async function firstParts(seconds: number): Promise<void> {
  const { double, governed, stop } = await startBed();
  const pools = [double, governed].map(({ key, url }) => ({ key, pool: new Pool(url, { connections: 64 }) }));
  const rows: Row[] = [];
  try {
    for (const { key, pool } of pools) await waits(pool, key, warmUp);
    for (const callers of [1, 8]) {
      const [direct = [], through = []] = await inTurns(pools, callers, seconds);
      rows.push(row(`${callers} caller(s), direct`, direct, direct), row('  through the platform', through, direct));
    }
  } finally {
    for (const { pool } of pools) await pool.destroy();
    await stop();
  }
  printTable('Until the first part of a stream', ['p50 ms', 'more ms', 'p90 ms', 'more ms'], rows);
  console.log('  goal: 2 ms more at most, p50; callers pause for 40 ms between their calls when they are several');
}

function row(name: string, waited: readonly number[], direct: readonly number[]): Row {
  const cells = [0.5, 0.9].flatMap((share) => [at(waited, share), at(waited, share) - at(direct, share)]);
  return [name, ...cells.map((cell) => cell.toFixed(2))];
}

function at(figures: readonly number[], share: number): number {
  return [...figures].sort((a, b) => a - b)[Math.floor(figures.length * share)] ?? median(figures);
}

type Side = { readonly key: string; readonly pool: Pool };

async function inTurns(sides: readonly Side[], callers: number, seconds: number): Promise<number[][]> {
  const all = sides.map((): number[] => []);
  const end = performance.now() + seconds * 2000;
  while (performance.now() < end)
    for (const [side, { key, pool }] of sides.entries()) {
      const found = await Promise.all(
        Array.from({ length: callers }, () => waits(pool, key, inTurn, callers > 1 ? 40 : 0)),
      );
      all[side]?.push(...found.flat());
    }
  return all;
}

/** Streams so often, one after the other; answers how long each first part took. Throws when one is not whole. */
async function waits(pool: Pool, key: string, times: number, restMs = 0): Promise<number[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const took: number[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    if (restMs > 0) await pause(Math.random() * restMs * 2);
    const begun = performance.now();
    const answer = await pool.request({ method: 'POST', path: completionsPath, headers, body });
    let [text, first] = ['', 0];
    for await (const chunk of answer.body) {
      if (text === '') first = performance.now() - begun;
      text += String(chunk);
    }
    if (!text.trimEnd().endsWith('data: [DONE]')) throw new Error(`a stream was not whole: ${text.slice(0, 500)}`);
    took.push(first);
  }
  return took;
}
