import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callbackCosts } from './callbacks.ts';
import { load, median, scriptOf } from './load.ts';
import { requestBody } from './payload.ts';
import { startGoverned, type Target } from './server.ts';
import { printTable, times } from './table.ts';

const connections = 32;
// A tenant may have 10,000 runs waiting: the load must end before.
const enqueueSeconds = 2;

interface Measured {
  readonly synchronous: number;
  readonly enqueued: number;
  readonly errors: number;
  readonly drained: number;
}

/** Prints how fast runs are put into the queue, beside synchronous ones, how fast it is emptied, and what callbacks take. */
export async function asyncCosts(
  dir: string,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<void> {
  const all: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    const target = await startGoverned();
    try {
      all.push(await measured(dir, target, seconds));
    } finally {
      await target.stop();
    }
  }
  const of = (pick: (one: Measured) => number): number => median(all.map(pick));
  const [synchronous, enqueued, drained] = [
    of((one) => one.synchronous),
    of((one) => one.enqueued),
    of((one) => one.drained),
  ];
  printTable(
    'Runs that wait, echo, 32 connections',
    ['per second', 'of synchronous', 'errors'],
    [
      ['synchronous run', synchronous.toFixed(0), times(1, 1), ''],
      ['enqueued (goal: 0.8 ×)', enqueued.toFixed(0), times(enqueued, synchronous), String(of((one) => one.errors))],
      ['drained (goal: 2,000)', drained.toFixed(0), times(drained, synchronous), ''],
    ],
  );
  await callbackCosts(rounds);
}

async function measured(dir: string, target: Target, seconds: number): Promise<Measured> {
  const plain = join(dir, 'sync.lua');
  writeFileSync(plain, `${scriptOf(requestBody, target.key)}\n`);
  await load(target, plain, connections, 2);
  const synchronous = (await load(target, plain, connections, seconds)).perSecond;
  const later = join(dir, 'async.lua');
  const begin = Date.now() + (enqueueSeconds + 3) * 1000;
  const body = { ...requestBody, mode: 'async', run_at: new Date(begin).toISOString() };
  writeFileSync(later, `${scriptOf(body, target.key)}\n`);
  const enqueued = await load(target, later, connections, enqueueSeconds);
  return {
    ...{ synchronous, enqueued: enqueued.perSecond, errors: enqueued.errors },
    drained: (enqueued.requests - enqueued.errors) / ((await emptied(target, begin)) / 1000),
  };
}

// How long after a time the queue is empty, ms.
async function emptied({ url, key }: Target, from: number): Promise<number> {
  await pause(Math.max(0, from - Date.now()));
  for (;;) {
    const response = await fetch(`${url}/runs?status=queued&limit=1`, { headers: { authorization: `Bearer ${key}` } });
    const { runs, next_cursor: next } = (await response.json()) as { runs: readonly object[]; next_cursor?: string };
    if (runs.length === 0 && next === undefined) return Date.now() - from;
    await pause(50);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
