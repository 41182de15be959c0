// npm run bench:paired -- FOLDER: this checkout beside another one (a work tree of an earlier commit, installed). Each pair is
// two fresh processes that are put under load in turns of BENCH_SECONDS (2), BENCH_TURNS of each (4), while the other one
// stands still: what a machine does in its minutes falls on both. BENCH_PAIRS: how many (9); BENCH_CONNECTIONS;
// BENCH_KEYED=1: each request has an Idempotency-Key of its own, which it never repeats. BENCH_ENV=NAME=value: a variable
// that only the servers of this checkout have; FOLDER may then be this checkout itself. With
// OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9 they export to a collector that is not there.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { load, median, writeScript, type Round } from './load.ts';
import { startGoverned, type Target } from './server.ts';
import { meanOf } from './summary.ts';
import { addSpent, readThreadCpu, v8Workers } from './thread-cpu.ts';

const option = (name: string, otherwise: string): string => process.env[`BENCH_${name}`] ?? otherwise;
const pairs = Number(option('PAIRS', '9'));
const turns = Number(option('TURNS', '4'));
const seconds = Number(option('SECONDS', '2'));
const keyed = option('KEYED', '0') === '1';
const settledMs = 26_000;
const counts = option('CONNECTIONS', '1,32,256').split(',').map(Number);

const other = resolve(process.argv[2] ?? '.');
const here = resolve(import.meta.dirname, '../..');
const [variable = '', ...rest] = option('ENV', '').split('=');
const own = variable === '' ? {} : { [variable]: rest.join('=') };
if ((other === here && variable === '') || !existsSync(join(other, 'kernel/orb.js'))) {
  console.error('name the folder of another checkout, with its packages installed');
  process.exit(64);
}

/** One server of a pair. */
interface Side {
  readonly target: Target;
  readonly script: string;
}

/** What one turn of a server took; microseconds of CPU per run. */
interface Turn extends Pick<Round, 'errors' | 'perSecond'> {
  readonly main: number;
  readonly writer: number;
  /** Garbage collection and compilation beside them. */
  readonly v8: number;
  /** Without the auditor, which follows the load at its own pace and takes what is left. */
  readonly serving: number;
}

/** Both servers in the turns of one pair, by number of connections. */
type Found = Map<number, { readonly mine: Turn[]; readonly theirs: Turn[] }>;

async function start(checkout: string, dir: string, env = {}): Promise<Side> {
  const target = await startGoverned({ program: [join(checkout, 'kernel/orb.js'), 'serve', '--json'], env });
  const script = join(dir, `${target.pid}.lua`);
  writeScript(script, target.key, { keyed });
  return { target, script };
}

async function turn({ script, target }: Side, connections: number, forSeconds = seconds): Promise<Turn> {
  process.kill(target.pid, 'SIGCONT');
  const before = readThreadCpu(target.pid);
  const { errors, perSecond, requests } = await load(target, script, connections, forSeconds);
  const spent = new Map<string, number>();
  addSpent(spent, before, readThreadCpu(target.pid));
  process.kill(target.pid, 'SIGSTOP');
  const perRun = (...names: string[]): number =>
    names.reduce((sum, name) => sum + (spent.get(name) ?? 0), 0) / Math.max(1, requests);
  const serving = perRun(...[...spent.keys()].filter((name) => name !== 'auditor'));
  return { errors, perSecond, serving, main: perRun('main'), writer: perRun('writer'), v8: perRun(v8Workers) };
}

async function pair(number: number, dir: string): Promise<Found> {
  // What starts first measures dearer by a percent or two: each checkout is first as often as the other.
  const first = number % 2 === 0 ? await start(here, dir, own) : undefined;
  const theirs = await start(other, dir);
  const mine = first ?? (await start(here, dir, own));
  const order = first === undefined ? [theirs, mine] : [mine, theirs];
  const found: Found = new Map(counts.map((connections) => [connections, { mine: [], theirs: [] }]));
  try {
    // A server compiles what it may need later after a quarter of a minute, and then what is hot a second time: neither
    // says anything of a run.
    await pause(settledMs);
    for (const side of order) await turn(side, 32, 8);
    for (const [connections, both] of found)
      for (let at = 0; at < turns; at += 1)
        for (const side of at % 2 === 0 ? order : order.toReversed())
          (side === mine ? both.mine : both.theirs).push(await turn(side, connections));
    return found;
  } finally {
    for (const { target } of order) {
      process.kill(target.pid, 'SIGCONT');
      await target.stop();
    }
  }
}

function summary(ratios: readonly number[]): string {
  return `median ${median(ratios).toFixed(3)}, mean ${meanOf(ratios)}`;
}

const dir = mkdtempSync(join(tmpdir(), 'orb-paired-'));
const all: Found[] = [];
for (let number = 0; number < pairs; number += 1) all.push(await pair(number, dir));
rmSync(dir, { recursive: true, force: true });

console.log(
  `${pairs} pairs of fresh processes, ${turns} turns of ${seconds} s each${keyed ? ', with idempotency keys' : ''};` +
    ` this checkout${variable === '' ? '' : ` with ${variable}`} divided by ${other}`,
);
for (const connections of counts) {
  const found = all.map((one) => one.get(connections) ?? { mine: [], theirs: [] });
  // One ratio a pair: that of the medians of its turns.
  const ratios = (of: (one: Turn) => number): readonly number[] =>
    found.map(({ mine, theirs }) => median(mine.map(of)) / median(theirs.map(of)));
  const micros = (side: 'mine' | 'theirs', of: (one: Turn) => number): string =>
    median(found.flatMap((one) => one[side].map(of))).toFixed(0);
  const cpu = (name: string, of: (one: Turn) => number): void =>
    console.log(`  ${name}  ${summary(ratios(of))}  (${micros('mine', of)} and ${micros('theirs', of)} µs)`);
  console.log(`${connections} connection(s)`);
  console.log(`  runs per second              ${summary(ratios(({ perSecond }) => perSecond))}`);
  cpu('CPU per run without auditor', ({ serving }) => serving);
  cpu('  of it the serving thread ', ({ main }) => main);
  cpu('  of it the writer         ', ({ writer }) => writer);
  cpu('  of it V8 beside them     ', ({ v8 }) => v8);
  const errors = (side: 'mine' | 'theirs'): number =>
    found.flatMap((one) => one[side]).reduce((sum, one) => sum + one.errors, 0);
  console.log(`  errors                       ${errors('mine')} and ${errors('theirs')}`);
}
