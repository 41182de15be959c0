import { Pool } from 'undici';
import { startBeats, type Beat } from './full-beat.ts';
import { getter, type Got } from './full-get.ts';
import type { Request } from './full-requests.ts';
import type { Target } from './server.ts';
import { printWalks } from './full-walk.ts';
import { printTable, times, type Row } from './table.ts';

/** A store that is asked: its server, what it is called, and its requests. */
export interface Side {
  readonly name: string;
  readonly target: Target;
  readonly requests: readonly Request[];
}

/** How often each request is asked, and for how long at most. */
export interface Often {
  readonly reads: number;
  readonly seconds: number;
}

/** What one request came to on both sides. */
interface Asked {
  readonly name: string;
  /** Number of items that the full store answered; undefined: it is no list. */
  readonly items: number | undefined;
  readonly small: readonly Beat[];
  readonly full: readonly Beat[];
}

type Ask = (time: number) => Promise<Got>;

const warmUp = 5;

/**
 * Prints how long a full store takes for each request beside a small one, asked in turns, and how long `/health` took
 * meanwhile: the serving thread answers nothing else while it is busy.
 */
export async function readInTurns(small: Side, full: Side, often: Often): Promise<void> {
  const end = startBeats([small.target.url, full.target.url]);
  let asked: Awaited<ReturnType<typeof askAll>>;
  try {
    asked = await askAll(small, full, often);
  } finally {
    await end();
  }
  const [smallBeats = [], fullBeats = []] = await end();
  printReads(small.name, full.name, asked, fullBeats);
  printStalls([
    [small.name, smallBeats],
    [full.name, fullBeats],
  ]);
  await printWalks(small, full, often.seconds);
}

async function askAll(small: Side, full: Side, often: Often): Promise<readonly Asked[]> {
  const pools = [
    new Pool(small.target.url, { connections: 1 }),
    new Pool(full.target.url, { connections: 1 }),
  ] as const;
  const asked: Asked[] = [];
  for (const [index, { name }] of full.requests.entries()) {
    const askSmall = askerOf(small, pools[0], small.requests[index]);
    asked.push(await inTurns(name, askSmall, askerOf(full, pools[1], full.requests[index]), often));
  }
  await Promise.all(pools.map((pool) => pool.close()));
  return asked;
}

function askerOf(side: Side, pool: Pool, request: Request | undefined): Ask {
  const paths = request?.paths ?? [];
  const get = getter(side.target, pool);
  return (time) => get(paths[time % paths.length] ?? '');
}

async function inTurns(name: string, askSmall: Ask, askFull: Ask, { reads, seconds }: Often): Promise<Asked> {
  const [small, full]: [Beat[], Beat[]] = [[], []];
  let text = '';
  for (let time = 0; time < warmUp; time += 1) {
    await askSmall(time);
    ({ text } = await askFull(time));
  }
  const until = performance.now() + seconds * 1000;
  for (let time = 0; time < reads && performance.now() < until; time += 1) {
    small.push(await askSmall(time));
    full.push(await askFull(time));
  }
  return { name, items: itemsOf(text), small, full };
}

function itemsOf(text: string): number | undefined {
  if (!text.startsWith('{')) return undefined;
  const [list] = Object.values(JSON.parse(text) as object);
  return Array.isArray(list) ? list.length : undefined;
}

function printReads(small: string, full: string, asked: readonly Asked[], beats: readonly Beat[]): void {
  const rows = asked.map((one): Row => {
    const [before, after] = [quantiles(one.small), quantiles(one.full)];
    return [
      one.name,
      String(one.items ?? '–'),
      ...[before.p50, before.p99, after.p50, after.p99].map((ms) => ms.toFixed(2)),
      times(after.p50, before.p50),
      times(after.p99, before.p99),
      longestDuring(one.full, beats).toFixed(1),
    ];
  });
  const heads = ['p50 ms', 'p99 ms'].map((head, at) => (at === 0 ? `${small}: ${head}` : head));
  const fullHeads = [`${full}: p50 ms`, 'p99 ms'];
  printTable(`GET, in turns`, ['items', ...heads, ...fullHeads, 'full/small p50', 'p99', '/health, longest ms'], rows);
}

function printStalls(sides: readonly (readonly [name: string, beats: readonly Beat[]])[]): void {
  const base = quantiles(sides[0]?.[1] ?? []);
  const rows = sides.map(([name, beats]): Row => {
    const { p50, p99, longest } = quantiles(beats);
    const figures = [p50, p99, longest];
    const ratios = [times(p50, base.p50), times(p99, base.p99), times(longest, base.longest)];
    return [name, String(beats.length), ...figures.flatMap((ms, at) => [ms.toFixed(2), ratios[at] ?? ''])];
  });
  const heads = ['asked', 'p50 ms', 'of small', 'p99 ms', 'of small', 'longest ms', 'of small'];
  printTable('/health meanwhile, every 4 ms', heads, rows);
}

// Of the answers that were awaited while one of the requests was.
function longestDuring(requests: readonly Beat[], beats: readonly Beat[]): number {
  const overlaps = (a: Beat, b: Beat): boolean => a.at < b.at + b.took && b.at < a.at + a.took;
  const met = beats.filter((beat) => requests.some((request) => overlaps(beat, request)));
  return Math.max(0, ...met.map(({ took }) => took));
}

function quantiles(all: readonly Beat[]): { readonly p50: number; readonly p99: number; readonly longest: number } {
  const sorted = all.map(({ took }) => took).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
  return { p50: at(0.5), p99: at(0.99), longest: sorted.at(-1) ?? NaN };
}
