import { setTimeout as wait } from 'node:timers/promises';

// Verifying gives way to serving: a rest lasts three times as long as the round before it, and twenty times as long
// when the round had to wait for a processor, because other work needs it. A check that detects starvation
// by the processor time of the process must not see all of that time used here.
const restFactor = 3;
const yieldingFactor = 20;
const longestRestMs = 250;
const longestYieldMs = 2000;

/** Answers how long to rest after a round, from its duration and its processor time; all in ms. */
export function restAfter(took: number, cpu: number): number {
  const waited = took > 2 * cpu + 1;
  return waited ? Math.min(longestYieldMs, yieldingFactor * took) : Math.min(longestRestMs, 1 + restFactor * took);
}

/** Starts measuring a round of this thread; the function it answers gives the rest after the round, ms. */
export function resting(): () => number {
  const began = performance.now();
  const before = cpuMs();
  return () => restAfter(performance.now() - began, cpuMs() - before);
}

/** Rests for some milliseconds, or until the signal: a rest may take seconds, and the program's end waits for it. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

// An older runtime cannot measure the time of one thread: there the round never seems to have waited.
function cpuMs(): number {
  const { threadCpuUsage } = process as Partial<Pick<NodeJS.Process, 'threadCpuUsage'>>;
  if (threadCpuUsage === undefined) return performance.now();
  const { user, system } = threadCpuUsage.call(process);
  return (user + system) / 1000;
}
