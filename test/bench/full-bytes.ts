import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { heldIn, runThem, withStore } from './full-store.ts';
import { requestBody } from './payload.ts';
import type { Target } from './server.ts';
import { percent, printTable, times, type Row } from './table.ts';

/** A store on disk. */
interface Named {
  readonly name: string;
  readonly home: string;
}

// Deliveries and incidents belong to no run.
const isRuns = (name: string): boolean => !name.includes('ingestion_');
const shownShare = 0.005;
// The ledger, the auditor and the next checkpoint follow a run.
const afterwardsMs = 5000;

/** Prints what a run takes on disk, by table and index. The servers of the homes are stopped. */
export function bytesOnDisk(small: Named, full: Named): void {
  const [before, after] = [perRun(small.home), perRun(full.home)];
  const [all, allBefore] = [sum(after), sum(before)];
  const largest = [...after].filter(([, bytes]) => bytes >= all * shownShare).sort(([, a], [, b]) => b - a);
  const shown = new Set(largest.map(([name]) => name));
  const others = (figures: ReadonlyMap<string, number>): number =>
    sum(new Map([...figures].filter(([name]) => !shown.has(name))));
  const row = (name: string, bytes: number, base: number): Row => [
    name,
    bytes.toFixed(0),
    percent(bytes, all),
    base.toFixed(0),
    times(bytes, base),
  ];
  printTable(
    'Bytes on disk per run',
    [full.name, 'share', small.name, 'full/small'],
    [
      ...largest.map(([name, bytes]) => row(name, bytes, before.get(name) ?? 0)),
      row('all others', others(after), others(before)),
      row('all', all, allBefore),
    ],
  );
}

function perRun(home: string): ReadonlyMap<string, number> {
  const { runs } = heldIn(home);
  return withStore(home, (driver) => {
    const sql = 'SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE';
    const rows = driver.prepare<[], { readonly name: string; readonly pgsize: number }>(sql).all();
    return new Map(rows.filter(({ name }) => isRuns(name)).map(({ name, pgsize }) => [name, pgsize / runs]));
  });
}

function sum(figures: ReadonlyMap<string, number>): number {
  return [...figures.values()].reduce((all, bytes) => all + bytes, 0);
}

/** Prints what a lone run writes: one connection, each run after the answer of the one before; what follows included. */
export async function bytesWritten(
  small: { readonly name: string; readonly target: Target },
  full: { readonly name: string; readonly target: Target },
  runs: number,
): Promise<void> {
  const rows: Row[] = [];
  let base: Written | undefined;
  for (const side of [small, full]) {
    const figures = await writtenBy(side.target, runs);
    base ??= figures;
    const { asked, dirtied } = figures;
    const cells = [asked.toFixed(1), times(asked, base.asked), dirtied.toFixed(1), times(dirtied, base.dirtied)];
    rows.push([`${side.name} runs`, ...cells]);
  }
  printTable(`KB written per lone run, ${runs} of them`, ['by calls', 'of small', 'to the disk', 'of small'], rows);
}

/** KB per run. */
interface Written {
  /** By system calls, with those to sockets. */
  readonly asked: number;
  /** Pages that became dirty; 0 on a file system in memory. */
  readonly dirtied: number;
}

// What the server writes without runs, such as the auditor's position, is no part of it.
async function writtenBy(target: Target, runs: number): Promise<Written> {
  const idle = await writingDuring(target, async () => {});
  const busy = await writingDuring(target, () =>
    runThem(target, { orbiset: 'default', body: requestBody, count: runs, connections: 1 }),
  );
  const perRun = (what: keyof Written): number =>
    (busy.written[what] - (idle.written[what] * busy.took) / idle.took) / 1024 / runs;
  return { asked: perRun('asked'), dirtied: perRun('dirtied') };
}

async function writingDuring({ pid }: Target, work: () => Promise<void>): Promise<{ written: Written; took: number }> {
  const [before, begun] = [writtenSoFar(pid), performance.now()];
  await work();
  await delay(afterwardsMs);
  const [after, took] = [writtenSoFar(pid), performance.now() - begun];
  return { written: { asked: after.asked - before.asked, dirtied: after.dirtied - before.dirtied }, took };
}

function writtenSoFar(pid: number): Written {
  const io = readFileSync(`/proc/${pid}/io`, 'utf8');
  const figure = (name: string): number => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(io)?.[1]);
  return { asked: figure('wchar'), dirtied: figure('write_bytes') };
}
