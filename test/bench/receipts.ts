import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proverOf } from '../../plugins/receipts/log/stored/read-proof.ts';
import { newRun, startReceipts } from '../plugins/receipts/harness.ts';
import { median } from './load.ts';
import { openBenchLog, type BenchLog } from './receipts-log.ts';

const batches = 24;
const batchSize = 256;

/**
 * Prints what receipts cost without HTTP: how many a second through the writer thread, how the cost of appending grows
 * with the log, how long the proof of a random entry takes, and where the writer's CPU goes. 10^6: with BENCH_FULL=1.
 */
export async function receiptCosts(seconds: number): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'orb-bench-receipts-'));
  for (const name of ['alone', 'grown']) mkdirSync(join(dir, name));
  try {
    const alone = await startReceipts(join(dir, 'alone'));
    const perSecond = await attestFor(seconds, () => alone.attest(newRun()));
    console.log(`\nReceipts alone: ${perSecond.toFixed(0)} per s, 256 outstanding, through the writer thread, durable`);
    await alone.stop();
    const grown = await startReceipts(join(dir, 'grown'));
    const { installation, sealer } = grown.store;
    await grown.stop();
    const log = await openBenchLog(join(dir, 'grown'), installation, sealer);
    console.log('  entries in the log  append CPU µs   of smallest  proof p50 ms        p99 ms    p99 CPU ms');
    const sizes = [1000, 100_000, ...(process.env['BENCH_FULL'] === '1' ? [1_000_000] : [])];
    let smallest: number | undefined;
    for (const size of sizes) {
      await log.fill(size);
      const cost = appendCost(log);
      smallest ??= cost;
      const { cpu99, p50, p99 } = proofTimes(log);
      const cells = [
        cost.toFixed(1),
        `${(cost / smallest).toFixed(2)} ×`,
        ...[p50, p99, cpu99].map((ms) => ms.toFixed(2)),
      ];
      console.log(`  ${String(size).padStart(18)}${cells.map((cell) => cell.padStart(14)).join('')}`);
    }
    console.log(`  writer’s CPU: ${await split(log)}`);
    log.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function attestFor(seconds: number, attest: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      await attest();
      done++;
    }
  };
  await Promise.all(Array.from({ length: batchSize }, one));
  return done / seconds;
}

// Microseconds of CPU per receipt, the median of the batches: one that met another's work does not count.
function appendCost(log: BenchLog): number {
  for (let warm = 0; warm < 4; warm++) log.append(batchSize);
  return median(Array.from({ length: batches }, () => (log.append(batchSize) * 1000) / batchSize));
}

interface ProofTimes {
  readonly p50: number;
  readonly p99: number;
  /** Of the CPU: what is left when others have the machine. */
  readonly cpu99: number;
}

// Milliseconds.
function proofTimes({ reads, size }: BenchLog): ProofTimes {
  const whole = size();
  const log = reads.logs().at(-1)?.log ?? 0;
  const times = Array.from({ length: 2000 }, () => {
    const idx = Math.floor(Math.random() * whole);
    const [cpu, start] = [process.cpuUsage(), performance.now()];
    if (proverOf(log, reads)(idx) === undefined) throw new Error(`there is no proof of ${idx}`);
    const { system, user } = process.cpuUsage(cpu);
    return { wall: performance.now() - start, cpu: (system + user) / 1000 };
  });
  const sorted = (of: (one: (typeof times)[number]) => number): number[] => times.map(of).sort((a, b) => a - b);
  const walls = sorted(({ wall }) => wall);
  return { p50: walls[1000] ?? 0, p99: walls[1980] ?? 0, cpu99: sorted(({ cpu }) => cpu)[1980] ?? 0 };
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[] | undefined;
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples?: readonly number[] | undefined;
  readonly timeDeltas?: readonly number[] | undefined;
}

async function split(log: BenchLog): Promise<string> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  for (let batch = 0; batch < batches; batch++) log.append(batchSize);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return shares(profile);
}

const parts = ['sign and verify', 'hash', 'store', 'canonical text and the rest'] as const;
type Part = (typeof parts)[number];

function shares({ nodes, samples = [], timeDeltas = [] }: Profile): string {
  const kind = new Map<number, Part | undefined>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  // What native code does counts for who called it.
  const walk = (node: ProfileNode, within: Part | undefined): void => {
    const part = partOf(node.callFrame) ?? within;
    kind.set(node.id, part);
    for (const child of node.children ?? []) {
      const found = byId.get(child);
      if (found !== undefined) walk(found, part);
    }
  };
  const [root] = nodes;
  if (root !== undefined) walk(root, undefined);
  const times = new Map<Part, number>();
  samples.forEach((id, at) => {
    const part = kind.get(id);
    if (part !== undefined) times.set(part, (times.get(part) ?? 0) + (timeDeltas[at] ?? 0));
  });
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return parts.map((part) => `${part} ${(((times.get(part) ?? 0) / total) * 100).toFixed(0)} %`).join(', ');
}

// Outside the writing half nothing counts: what is appended here was drafted on another thread.
function partOf({ functionName, url }: CallFrame): Part | undefined {
  if (/signWith|verifyWith|verifySignature/.test(functionName)) return 'sign and verify';
  if (/sha256|hashLeaf|hashNode/i.test(functionName) || functionName === 'hash') return 'hash';
  if (/^(?:store(?:Run|Get|All)|storeTransaction)$/.test(functionName)) return 'store';
  return /plugins\/receipts\/(?:store|issue|signing|log-writer)\.ts/.test(url)
    ? 'canonical text and the rest'
    : undefined;
}
