import { planSoak } from './settings.ts';
import { soak } from './soak.ts';
import { drawTable } from './table.ts';

// Runs by hand: `SOAK_MINUTES=30 node test/soak/main.ts`; exit 0 when all held, 1 when not, 64 for a wrong variable.
const minutes = Number(process.env['SOAK_MINUTES'] ?? 30);
const pause = Number(process.env['SOAK_PAUSE'] ?? 1);
if (!(minutes > 0 && pause > 0)) {
  console.error('SOAK_MINUTES and SOAK_PAUSE are positive numbers');
  process.exit(64);
}
const { rows, faults, held } = await soak(planSoak(minutes, pause), (text) => console.error(text));
for (const fault of faults) console.error(`fault: ${fault}`);
console.log(drawTable(rows));
process.exitCode = held ? 0 : 1;
