import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { load, median } from '../load.ts';
import { startEcho } from '../server.ts';
import { printTable, type Row } from '../table.ts';
import { completionOf, completionsPath, startBed, writeCompletions } from './bed.ts';

const body = JSON.stringify(completionOf({ stream: true }));
const warmUpSeconds = 4;
// Few calls take other ways through the program than a load: V8 compiles for half a minute after its end.
const fewSeconds = 12;
const inTurn = 20;

/**
 * Prints how much later the first part of a stream comes through the platform than from the double. Beside it: how much later
 * through a relay that only records each call, which is what this machine adds to any gateway that loses none.
 */
export async function firstParts(dir: string, seconds: number): Promise<void> {
  const { double, governed, stop } = await startBed();
  const relay = await startEcho('a relay that records it', 'models/relay.ts', double.url);
  const sides = [double, relay, governed].map(({ name, key, url }) => ({
    ...{ name, key, pool: new Pool(url, { connections: 64 }) },
  }));
  const rows: Row[] = [];
  try {
    for (const target of [double, relay, governed]) {
      const script = join(dir, 'first.lua');
      writeCompletions(script, target.key, { stream: true });
      // What V8 compiles meanwhile is no part of a call.
      await load(target, script, 32, warmUpSeconds);
    }
    for (const callers of [1, 8]) {
      await inTurns(sides, callers, fewSeconds);
      const found = await inTurns(sides, callers, seconds);
      const direct = found[0] ?? [];
      for (const [at, { name }] of sides.entries())
        rows.push(row(at === 0 ? `${callers} caller(s), direct` : `  ${name}`, found[at] ?? [], direct));
    }
  } finally {
    for (const { pool } of sides) await pool.destroy();
    await relay.stop();
    await stop();
  }
  printTable('Until the first part of a stream', ['p50 ms', 'more ms', 'p90 ms', 'more ms'], rows);
  console.log(
    '  goal: a governed run 2 ms later at most, p50; callers pause for 40 ms between their calls when they are several',
  );
}

function row(name: string, waited: readonly number[], direct: readonly number[]): Row {
  const cells = [0.5, 0.9].flatMap((share) => [at(waited, share), at(waited, share) - at(direct, share)]);
  return [name, ...cells.map((cell) => cell.toFixed(2))];
}

function at(figures: readonly number[], share: number): number {
  return [...figures].sort((a, b) => a - b)[Math.floor(figures.length * share)] ?? median(figures);
}

interface Side {
  readonly name: string;
  readonly key: string;
  readonly pool: Pool;
}

async function inTurns(sides: readonly Side[], callers: number, seconds: number): Promise<number[][]> {
  const all = sides.map((): number[] => []);
  const end = performance.now() + seconds * 1000 * sides.length;
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
