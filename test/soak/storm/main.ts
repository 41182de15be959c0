import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { howToInstallPostgres, postgresFolder } from '../../helpers/postgres.ts';
import { runStorm } from './storm.ts';

// Runs by hand: `STORM_MINUTES=30 node test/soak/storm/main.ts`; exit 0 when all held, 1 when not, 64 for a wrong variable.
const minutes = Number(process.env['STORM_MINUTES'] ?? 30);
const seed = Number(process.env['STORM_SEED'] ?? Date.now() % 1_000_000);
const pauseMs = Number(process.env['STORM_PAUSE_MS'] ?? 300);
if (!(minutes > 0 && pauseMs > 0 && Number.isInteger(seed))) {
  console.error('STORM_MINUTES and STORM_PAUSE_MS are positive numbers, STORM_SEED is a whole one');
  process.exit(64);
}
if (postgresFolder() === undefined) {
  console.error(howToInstallPostgres);
  process.exit(1);
}
const logs = process.env['STORM_LOGS'] ?? mkdtempSync(join(tmpdir(), 'orb-storm-logs-'));
const begun = performance.now();
const say = (text: string): void =>
  console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(7)}  ${text}`);
say(`the nodes log to ${logs}`);
const { faults } = await runStorm({ minutes, seed, pauseMs, logs }, say);
for (const fault of faults) console.log(`fault: ${fault}`);
console.log(
  faults.length === 0 ? `held for ${minutes} minutes, seed ${seed}` : `${faults.length} faults, seed ${seed}`,
);
process.exit(faults.length === 0 ? 0 : 1);
