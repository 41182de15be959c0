import { readdirSync } from 'node:fs';
import { getActiveResourcesInfo } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

/** How long the system may take to close released resources, ms. */
export const settleMs = 5000;

// Requests that end by themselves, and the timer of this file.
const passing = new Set(['Immediate', 'FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap', 'TickObject']);

/** Counts what keeps the process alive, by kind: sockets, servers, timers, watchers, children. */
export function resources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of getActiveResourcesInfo()) if (!passing.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Names the resources that are more than before, after they had time to close; empty when all were released. */
export async function leftResources(before: ReadonlyMap<string, number>): Promise<readonly string[]> {
  return settled(() => {
    const now = [...resources()];
    return now.flatMap(([kind, count]) => (count > (before.get(kind) ?? 0) ? [kind] : []));
  });
}

/** Counts the file descriptors of the process; 0 where the system does not show them. */
export function descriptors(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}

/** Returns how many descriptors there are more than before, after they had time to close; up to four are noise. */
export async function leftDescriptors(before: number): Promise<number> {
  const [left = 0] = await settled(() => {
    const more = descriptors() - before;
    return more > 4 ? [more] : [];
  });
  return left;
}

async function settled<T>(look: () => readonly T[]): Promise<readonly T[]> {
  const started = performance.now();
  for (;;) {
    const left = look();
    if (left.length === 0 || performance.now() - started > settleMs) return left;
    await wait(10);
    // One more turn, so that the timer of the wait itself is gone before the next count.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
