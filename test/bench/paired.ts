// npm run bench:paired -- FOLDER: this checkout beside another one (a work tree of an earlier commit, installed), as pairs
// of fresh processes in turn. BENCH_PAIRS: how many (9); BENCH_SECONDS: how long each load lasts (4); BENCH_CONNECTIONS;
// BENCH_KEYED=1: each request has an Idempotency-Key of its own, which it never repeats.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { load, median, writeScript, type Round } from './load.ts';
import { startGoverned } from './server.ts';

const option = (name: string, otherwise: string): string => process.env[`BENCH_${name}`] ?? otherwise;
const pairs = Number(option('PAIRS', '9'));
const seconds = Number(option('SECONDS', '4'));
const keyed = option('KEYED', '0') === '1';
const counts = option('CONNECTIONS', '1,32,256').split(',').map(Number);

const other = resolve(process.argv[2] ?? '.');
const here = resolve(import.meta.dirname, '../..');
if (other === here || !existsSync(join(other, 'kernel/orb.js'))) {
  console.error('name the folder of another checkout, with its packages installed');
  process.exit(64);
}

type Rounds = ReadonlyMap<number, Round>;

/** Puts a fresh server of a checkout under load with each number of connections. */
async function measure(checkout: string, dir: string): Promise<Rounds> {
  const target = await startGoverned({ program: [join(checkout, 'kernel/orb.js'), 'serve', '--json'] });
  try {
    const script = join(dir, `${target.pid}.lua`);
    const put = (connections: number, forSeconds: number): Promise<Round> => {
      writeScript(script, target.key, { keyed });
      return load(target, script, connections, forSeconds);
    };
    await put(32, 3);
    const rounds = new Map<number, Round>();
    for (const connections of counts) rounds.set(connections, await put(connections, seconds));
    return rounds;
  } finally {
    await target.stop();
  }
}

function summary(ratios: readonly number[]): string {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const variance = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / Math.max(1, ratios.length - 1);
  const error = Math.sqrt(variance / ratios.length);
  return `median ${median(ratios).toFixed(3)}, mean ${mean.toFixed(3)} ± ${error.toFixed(3)}`;
}

const dir = mkdtempSync(join(tmpdir(), 'orb-paired-'));
const found: { readonly mine: Rounds; readonly theirs: Rounds }[] = [];
for (let pair = 0; pair < pairs; pair += 1) {
  // The order changes from pair to pair: what a machine does in its minutes falls on both.
  const first = pair % 2 === 0 ? await measure(here, dir) : undefined;
  const theirs = await measure(other, dir);
  found.push({ mine: first ?? (await measure(here, dir)), theirs });
}
rmSync(dir, { recursive: true, force: true });
console.log(
  `${pairs} pairs of fresh processes, ${seconds} s each${keyed ? ', with idempotency keys' : ''}; this checkout divided by ${other}`,
);
for (const connections of counts) {
  const ratios = (of: (round: Round) => number): readonly number[] =>
    found.map(({ mine, theirs }) => {
      const [a, b] = [mine.get(connections), theirs.get(connections)];
      return a === undefined || b === undefined ? NaN : of(a) / of(b);
    });
  const micros = (side: 'mine' | 'theirs'): string =>
    median(found.map((pair) => pair[side].get(connections)?.cpuMicros ?? NaN)).toFixed(0);
  console.log(`${connections} connection(s)`);
  console.log(`  runs per second  ${summary(ratios(({ perSecond }) => perSecond))}`);
  console.log(
    `  CPU per run      ${summary(ratios(({ cpuMicros }) => cpuMicros))}  (${micros('mine')} and ${micros('theirs')} µs)`,
  );
  const errors = found.flatMap(({ mine, theirs }) => [mine.get(connections), theirs.get(connections)]);
  console.log(`  errors           ${errors.reduce((sum, round) => sum + (round?.errors ?? 0), 0)}`);
}
