import { setTimeout as delay } from 'node:timers/promises';
import { cpuMicros } from './server.ts';

const lookMs = 400;
const restingMicros = 20_000;
const mostLooks = 150;

/** Waits until a server has done what the load left behind (audit, reputation, …): it takes less than 5 % of a core. */
export async function quiet(pid: number): Promise<void> {
  for (let look = 0, before = cpuMicros(pid); look < mostLooks; look += 1) {
    await delay(lookMs);
    const now = cpuMicros(pid);
    if (now - before < restingMicros) return;
    before = now;
  }
  console.log('  (a server had not come to rest a minute after the load)');
}
