import { join } from 'node:path';
import { load, median, writeScript, type Round } from './load.ts';
import { quiet } from './quiet.ts';
import { cpuMicros, startEcho, startGoverned, type Target } from './server.ts';
import { percent, printTable, type Row } from './table.ts';
import { addSpent, readThreadCpu } from './thread-cpu.ts';

const connections = 256;
const whole = 'governed run, whole';
const stock = 'stock Koa';
const program = join(import.meta.dirname, 'stand-in-server.ts');
const always = { plugins: { always: { from: join(import.meta.dirname, 'policy-always.ts') } }, authorize: 'always' };

interface Variant {
  readonly name: string;
  readonly standIns?: readonly string[];
  readonly settings?: object;
  /** The variant that it is one layer less than; default: the whole. */
  readonly less?: string;
}

const signature = 'without signature and log';

const variants: readonly Variant[] = [
  { name: whole },
  { name: 'without authentication', standIns: ['principal'] },
  { name: 'without policy', settings: always },
  { name: signature, standIns: ['commit'] },
  { name: '… and without the durable commit', standIns: ['answer'], less: signature },
  { name: 'without all of these', standIns: ['principal', 'answer'], settings: always },
];

/** What was measured of the variants, and of the whole by thread. */
interface Measured {
  readonly results: Map<string, Round[]>;
  readonly spent: Map<string, number>;
  /** Runs that took what was spent. */
  runs: number;
}

/**
 * Prints what each layer of a governed run costs at 256 connections: the whole run beside runs in which a stand-in has
 * the place of one part. CPU counts until the server rests: audit and reputation come after the answer.
 */
export async function stackCosts(
  dir: string,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<void> {
  const targets = new Map<string, Target>();
  const measured: Measured = { results: new Map(), spent: new Map(), runs: 0 };
  const script = join(dir, 'stack.lua');
  try {
    targets.set(stock, await startEcho(stock, 'stock.ts'));
    for (const { name, standIns = [], settings = {} } of variants)
      targets.set(name, await startGoverned({ program: [program, ...standIns], settings }));
    for (const target of targets.values()) {
      writeScript(script, target.key);
      // So few that an empty cache does not make too many questions wait.
      await load(target, script, 64, 2);
      await quiet(target.pid);
    }
    for (let round = 0; round < rounds; round += 1)
      for (const [name, target] of targets) {
        writeScript(script, target.key);
        await measure(name, target, () => load(target, script, connections, seconds), measured);
      }
  } finally {
    for (const target of targets.values()) await target.stop();
  }
  print(measured.results);
  printThreads(measured);
}

async function measure(name: string, { pid }: Target, loaded: () => Promise<Round>, measured: Measured): Promise<void> {
  const [cpu, threads] = [cpuMicros(pid), readThreadCpu(pid)];
  const round = await loaded();
  await quiet(pid);
  const figures = { ...round, cpuMicros: (cpuMicros(pid) - cpu) / round.requests };
  measured.results.set(name, [...(measured.results.get(name) ?? []), figures]);
  if (name !== whole) return;
  addSpent(measured.spent, threads, readThreadCpu(pid));
  measured.runs += round.requests;
}

function print(results: ReadonlyMap<string, readonly Round[]>): void {
  const figure = (name: string, of: (round: Round) => number): number => median((results.get(name) ?? []).map(of));
  const cpu = (name: string): number => figure(name, ({ cpuMicros }) => cpuMicros);
  const base = figure(stock, ({ perSecond }) => perSecond);
  const row = (name: string, less: string | undefined): Row => [
    name,
    figure(name, ({ perSecond }) => perSecond).toFixed(0),
    percent(
      figure(name, ({ perSecond }) => perSecond),
      base,
    ),
    cpu(name).toFixed(0),
    less === undefined ? '' : (cpu(less) - cpu(name)).toFixed(0),
    figure(name, ({ errors }) => errors).toFixed(0),
  ];
  printTable(
    `What each layer costs, ${connections} connections`,
    ['per s', 'of stock', 'CPU µs', 'layer: CPU µs', 'errors'],
    [row(stock, undefined), ...variants.map(({ name, less = whole }) => row(name, name === whole ? undefined : less))],
  );
  console.log(
    '  layer: what the part takes that is left out; policy: answered from the cache (evaluated: see the part policy)',
  );
}

function printThreads({ spent, runs }: Measured): void {
  const auditor = (spent.get('auditor') ?? 0) / runs;
  console.log(
    `  signature and log: with reputation and audit, which follow the log; the auditor's thread is ${auditor.toFixed(0)} of it`,
  );
  const total = [...spent.values()].reduce((sum, used) => sum + used, 0);
  printTable(
    'Whose CPU a governed run takes, by thread',
    ['CPU µs', 'share'],
    [...spent]
      .sort(([, a], [, b]) => b - a)
      .map(([name, used]): Row => [name, (used / runs).toFixed(1), percent(used, total)]),
  );
}
