import { setTimeout as wait } from 'node:timers/promises';

// Verifying yields to serving: a round is followed by a rest of three times its length, and of twenty times where it had
// to wait for a processor: others have work to do. Also, who measures the processor time of the process to tell what is
// starved must not see all of it spent here.
const restFactor = 3;
const yieldingFactor = 20;
const longestRestMs = 250;
const longestYieldMs = 2000;

/** Says how long to rest after a round that took so long, and so much of a processor; all in ms. */
export function restAfter(took: number, cpu: number): number {
  const waited = took > 2 * cpu + 1;
  return waited ? Math.min(longestYieldMs, yieldingFactor * took) : Math.min(longestRestMs, 1 + restFactor * took);
}

/** Begins a round of this thread; the answer says how long to rest after it, ms. */
export function resting(): () => number {
  const began = performance.now();
  const before = cpuMs();
  return () => restAfter(performance.now() - began, cpuMs() - before);
}

/** Rests for some milliseconds, or until the signal: a rest may take seconds, and who ends the program waits for it. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

// An older runtime cannot tell the time of one thread: there it never seems to have waited.
function cpuMs(): number {
  const { threadCpuUsage } = process as Partial<Pick<NodeJS.Process, 'threadCpuUsage'>>;
  if (threadCpuUsage === undefined) return performance.now();
  const { user, system } = threadCpuUsage.call(process);
  return (user + system) / 1000;
}
