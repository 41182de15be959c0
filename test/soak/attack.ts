// node test/soak/attack.ts: what strangers cost a server of 256 descriptors. ATTACK_SECONDS (60) of attack between two spells of
// peace; exit 0 when all held, 1 when not.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../helpers/http.ts';
import { createServed } from '../helpers/served.ts';
import { drawTable, type Row } from './table.ts';

const seconds = Number(process.env['ATTACK_SECONDS'] ?? 60);
const restSeconds = Number(process.env['ATTACK_REST'] ?? 30);
const callers = 4;

interface Spell {
  /** Governed runs completed per second. */
  readonly rate: number;
  /** How long /health took, ms, in order. */
  readonly health: readonly number[];
  readonly failed: number;
}

/** Runs Orbs as fast as some callers can, and asks for liveness beside, for some seconds. */
async function measure(url: string, key: string, forSeconds: number): Promise<Spell> {
  const end = performance.now() + forSeconds * 1000;
  let [runs, failed] = [0, 0];
  const health: number[] = [];
  const run = { key, json: { orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } } };
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const status = await send(url, '/orbisets/default/execute', run).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) runs += 1;
      else failed += 1;
    }
  };
  const prober = async (): Promise<void> => {
    for (; performance.now() < end; await delay(50)) {
      const begun = performance.now();
      const fine = await send(url, '/health').then(
        ({ status }) => status === 200,
        () => false,
      );
      if (!fine) failed += 1;
      health.push(fine ? performance.now() - begun : Infinity);
    }
  };
  await Promise.all([prober(), ...Array.from({ length: callers }, caller)]);
  return { rate: runs / forSeconds, health: health.sort((a, b) => a - b), failed };
}

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Infinity;

function report(spells: readonly [Spell, Spell, Spell], files: readonly [number, number], alive: boolean): Row[] {
  const [before, during, after] = spells;
  const peace = (before.rate + after.rate) / 2;
  const kept = during.rate / peace;
  const [p50, p99] = [share(during.health, 0.5), share(during.health, 0.99)];
  return [
    { what: '/health p50 in peace, ms', figure: share(before.health, 0.5).toFixed(1) },
    { what: '/health p99 in peace, ms', figure: share(before.health, 0.99).toFixed(1) },
    { what: '/health p50 under attack, ms', figure: p50.toFixed(1) },
    { what: '/health p99 under attack, ms (at most 250)', figure: p99.toFixed(1), held: p99 <= 250 },
    {
      what: 'governed runs a second in peace, before and after',
      figure: `${before.rate.toFixed(0)}, ${after.rate.toFixed(0)}`,
    },
    { what: 'governed runs a second under attack', figure: during.rate.toFixed(0) },
    { what: 'share of the rate kept (at least 70 %)', figure: `${(kept * 100).toFixed(0)} %`, held: kept >= 0.7 },
    { what: 'requests of others that failed', figure: String(during.failed), held: during.failed === 0 },
    {
      what: `descriptors before, and ${restSeconds} s afterwards`,
      figure: files.join(', '),
      held: files[1] <= files[0] + 2,
    },
    { what: 'the process lives', figure: String(alive), held: alive },
  ];
}

const served = createServed({}, { descriptors: 256 });
try {
  const { url, key } = await served.start();
  const pid = readFileSync(join(served.stateDir, 'lock'), 'utf8').split('\n')[0] ?? '';
  const files = (): number => readdirSync(`/proc/${pid}/fd`).length;
  const spell = Math.max(2, seconds / 3);
  // The threads that verify and read lists are started, once for all, before anything is counted.
  await send(url, '/runs', { key });
  const headers = { 'content-type': 'application/json' };
  for (const path of ['/receipts/verify', '/certificates/verify'])
    await send(url, path, { headers, body: `{}${' '.repeat(70_000)}` });
  await measure(url, key, 2);
  const before = await measure(url, key, spell);
  const filesBefore = files();
  const strangers = spawn(process.execPath, [join(import.meta.dirname, 'strangers.ts'), url], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  await delay(1000);
  const during = await measure(url, key, seconds);
  strangers.stdin.end();
  await delay(restSeconds * 1000);
  const filesAfter = files();
  const after = await measure(url, key, spell);
  const { status } = await send(url, '/health');
  const rows = report([before, during, after], [filesBefore, filesAfter], status === 200);
  console.log(drawTable(rows));
  process.exitCode = rows.every(({ held = true }) => held) ? 0 : 1;
} finally {
  await served.remove();
}
