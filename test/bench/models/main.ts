// npm run bench:models -- PARTS: calls of models beside a governed http.send and beside other gateways; all parts, or those that
// are named. BENCH_PAIRS: fresh servers (4); BENCH_TURNS: turns of each call on one (2); BENCH_SECONDS: of a turn (2);
// BENCH_STREAMS: idle streams (1,000). The part peers installs the other gateways below dist/ when it first runs;
// BENCH_LITELLM: which LiteLLM (its current release).
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { callCosts } from './cost.ts';
import { firstParts } from './first.ts';
import { idleStreams } from './idle.ts';
import { besideGateways } from './peers.ts';
import { profileCalls } from './profile.ts';

const option = (name: string, otherwise: number): number => Number(process.env[`BENCH_${name}`] ?? otherwise);
const seconds = option('SECONDS', 2);
const costs = { pairs: option('PAIRS', 4), turns: option('TURNS', 2), seconds };

const parts: Readonly<Record<string, (dir: string) => Promise<void>>> = {
  cost: (dir) => callCosts(dir, costs),
  first: (dir) => firstParts(dir, seconds),
  peers: (dir) => besideGateways(dir, { turns: option('PAIRS', 4), seconds: seconds * 2 }),
  idle: (dir) => idleStreams(dir, option('STREAMS', 1000)),
  profile: (dir) => profileCalls(dir, seconds * 5),
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const missing = wanted.find((name) => !Object.hasOwn(parts, name));
if (missing !== undefined) {
  console.error(`there is no part ${missing}; the parts are ${Object.keys(parts).join(', ')}`);
  process.exit(64);
}
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}`);
for (const name of wanted) {
  console.log(`\n== ${name}`);
  const dir = mkdtempSync(join(tmpdir(), 'orb-bench-'));
  try {
    await parts[name]?.(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
