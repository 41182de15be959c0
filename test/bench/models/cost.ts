import { join } from 'node:path';
import { load, median } from '../load.ts';
import { meanOf } from '../summary.ts';
import { printTable, type Row } from '../table.ts';
import { readServingCpu } from '../thread-cpu.ts';
import { startBed, writeCompletions, writeSends, type Bed, type Wanted } from './bed.ts';

const connections = 32;

/** A call that is measured, and the one beside it. */
interface Call {
  readonly name: string;
  readonly wanted: Wanted;
  /** By http.send, not by the door. */
  readonly sends?: true;
  /** The calls that it is compared with: the plain one, and the one that gets the same answer. */
  readonly beside: readonly string[];
}

const plain = 'http.send';
const same = { stream: 'http.send of the stream', apart: 'http.send of the slow stream' } as const;
const stream = { stream: true } as const;
const apart = { model: 'apart', stream: true } as const;

const calls: readonly Call[] = [
  { name: plain, wanted: {}, sends: true, beside: [] },
  { name: same.stream, wanted: stream, sends: true, beside: [plain] },
  { name: same.apart, wanted: apart, sends: true, beside: [plain] },
  { name: 'chat completion', wanted: {}, beside: [plain] },
  { name: 'streamed, 50 parts', wanted: stream, beside: [plain, same.stream] },
  { name: 'streamed, 50 parts 1 ms apart', wanted: apart, beside: [plain, same.apart] },
];

/** What turns of a call took. */
interface Found {
  readonly cpu: number[];
  readonly perSecond: number[];
  errors: number;
}

type Pair = ReadonlyMap<string, Found>;

/** How often and how long each call is measured. */
export interface CostOptions {
  /** Fresh processes. */
  readonly pairs: number;
  readonly turns: number;
  readonly seconds: number;
}

/** Prints the CPU of the server per call of a model beside that of a governed http.send to the same double. */
export async function callCosts(dir: string, options: CostOptions): Promise<void> {
  const pairs: Pair[] = [];
  for (let at = 0; at < options.pairs; at += 1) pairs.push(await pairOf(dir, options, at));
  const cpuOf = (pair: Pair, name: string): number => median(pair.get(name)?.cpu ?? []);
  const figure = (name: string, of: (found: Found) => readonly number[]): number =>
    median(pairs.flatMap((pair) => of(pair.get(name) ?? none)));
  const rows = calls.map(({ name, beside }): Row => {
    const ratios = [0, 1].map((column) => {
      const base = beside[column];
      return base === undefined ? '' : meanOf(pairs.map((pair) => cpuOf(pair, name) / cpuOf(pair, base)));
    });
    const errors = pairs.reduce((sum, pair) => sum + (pair.get(name)?.errors ?? 0), 0);
    const [cpu, perSecond] = [figure(name, (found) => found.cpu), figure(name, (found) => found.perSecond)];
    return [name, cpu.toFixed(0), ...ratios, perSecond.toFixed(0), String(errors)];
  });
  const title = `CPU of the server per call, without the auditor, ${connections} connections`;
  printTable(title, ['µs', 'of http.send', 'of the same answer', 'per s', 'errors'], rows);
  console.log(
    `  fresh servers: ${options.pairs}, turns of each call on one: ${options.turns}, of ${options.seconds} s; mean ± its error`,
  );
  console.log('  goals: a chat completion 1.3 × http.send at most, a streamed one 2 ×');
}

const none: Found = { cpu: [], perSecond: [], errors: 0 };

async function pairOf(dir: string, { turns, seconds }: CostOptions, number: number): Promise<Pair> {
  const bed = await startBed();
  const script = (name: string): string => join(dir, `${calls.findIndex((call) => call.name === name)}.lua`);
  const found = new Map<string, Found>(calls.map(({ name }) => [name, { cpu: [], perSecond: [], errors: 0 }]));
  try {
    for (const { name, sends, wanted } of calls) {
      if (sends === true) writeSends(script(name), bed, wanted);
      else writeCompletions(script(name), bed.governed.key, wanted);
      // What V8 compiles meanwhile is no part of a call.
      await load(bed.governed, script(name), connections, Math.max(4, seconds));
    }
    for (let turn = 0; turn < turns; turn += 1)
      for (const { name } of (number + turn) % 2 === 0 ? calls : calls.toReversed())
        await measure(bed, script(name), seconds, found.get(name) ?? none);
  } finally {
    await bed.stop();
  }
  return found;
}

async function measure({ governed }: Bed, script: string, seconds: number, into: Found): Promise<void> {
  const before = readServingCpu(governed.pid);
  const { errors, perSecond, requests } = await load(governed, script, connections, seconds);
  into.cpu.push((readServingCpu(governed.pid) - before) / Math.max(1, requests));
  into.perSecond.push(perSecond);
  into.errors += errors;
}
