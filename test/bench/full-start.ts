import { setTimeout as delay } from 'node:timers/promises';
import type Driver from 'better-sqlite3';
import { serve, withStore } from './full-store.ts';
import { median } from './load.ts';
import type { Target } from './server.ts';
import { printTable, times, type Row } from './table.ts';

/** One start; milliseconds since the process was spawned. */
interface Start {
  readonly listens: number;
  readonly ready: number;
  /** When the ledger has counted the whole log. */
  readonly counted: number;
}

const lookMs = 5;
// Looking costs the thread that counts.
const rareLookMs = 50;
const longestMs = 1_800_000;
// What folding the log changes in the ledger.
const folded = ['cursors', 'deciders', 'caller_days', 'minutes', 'days', 'documents', 'events'].map(
  (name) => `ledger_${name}`,
);
const firstEntry = 5;

/**
 * Prints how long starts take until they serve and until the ledger has counted the log: on a small store, on a full
 * one, and on a full one whose ledger stands near the beginning of the log. The servers of the homes are stopped.
 */
export async function startTimes(
  small: { readonly name: string; readonly home: string },
  full: { readonly name: string; readonly home: string },
  starts: number,
): Promise<void> {
  const [base, caughtUp] = [await starting(small.home, starts), await starting(full.home, starts)];
  const behind = await startBehind(full.home);
  const row = (name: string, start: Start): Row => [
    name,
    ...(['listens', 'ready', 'counted'] as const).flatMap((what) => [
      Number.isFinite(start[what]) ? start[what].toFixed(0) : `> ${longestMs}`,
      times(start[what], base[what]),
    ]),
  ];
  printTable(
    `From spawn, medians of ${starts}; far behind: one start`,
    ['listens ms', 'of small', '/health/ready ms', 'of small', 'log counted ms', 'of small'],
    [
      row(`${small.name} runs`, base),
      row(`${full.name} runs, caught up`, caughtUp),
      row(`${full.name} runs, far behind`, behind),
    ],
  );
}

async function starting(home: string, count: number): Promise<Start> {
  const all: Start[] = [];
  for (let at = 0; at < count; at += 1) all.push(await startOnce(home));
  const middle = (what: keyof Start): number => median(all.map((one) => one[what]));
  return { listens: middle('listens'), ready: middle('ready'), counted: middle('counted') };
}

// Leaves the store as it was: entries that are folded again are counted twice.
async function startBehind(home: string): Promise<Start> {
  const kept = withStore(home, (driver) => folded.map((table) => driver.prepare(`SELECT * FROM ${table}`).all()));
  withStore(home, (driver) => driver.prepare('UPDATE ledger_cursors SET idx = ?').run(firstEntry), false);
  try {
    return await startOnce(home);
  } finally {
    withStore(home, (driver) => driver.transaction(() => putBack(driver, kept))(), false);
  }
}

function putBack(driver: Driver.Database, kept: readonly (readonly unknown[])[]): void {
  for (const [index, table] of folded.entries()) {
    driver.prepare(`DELETE FROM ${table}`).run();
    for (const row of (kept[index] ?? []) as readonly Readonly<Record<string, unknown>>[]) {
      const columns = Object.keys(row);
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
      driver.prepare(sql).run(Object.values(row));
    }
  }
}

async function startOnce(home: string): Promise<Start> {
  const begun = performance.now();
  const target = await serve(home);
  try {
    const listens = performance.now() - begun;
    const ready = await untilHealth(target, ({ status }) => status === 200);
    const counted = await untilLedgerUp(target);
    return { listens, ready: ready - begun, counted: counted - begun };
  } finally {
    await target.stop();
  }
}

/** Waits until the ledger of a server has counted the whole log, for half an hour; answers when: Infinity, never. */
export function untilLedgerUp(target: Target): Promise<number> {
  return untilHealth(target, ({ ledger }) => ledger === 'up', rareLookMs);
}

interface Ready {
  readonly status: number;
  readonly ledger: string | undefined;
}

async function untilHealth({ url }: Target, reached: (ready: Ready) => boolean, everyMs = lookMs): Promise<number> {
  for (const deadline = performance.now() + longestMs; performance.now() < deadline; await delay(everyMs)) {
    const response = await fetch(`${url}/health/ready`);
    const { components } = (await response.json()) as { readonly components?: { readonly ledger?: string } };
    if (reached({ status: response.status, ledger: components?.ledger })) return performance.now();
  }
  return Infinity;
}
