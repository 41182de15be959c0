import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of a process by the names of its threads, in microseconds. */
export type ThreadCpu = ReadonlyMap<string, number>;

/** What the threads of V8 beside those of the program are called. */
export const v8Workers = 'V8: garbage collection, compilation';

const names: Readonly<Record<string, string>> = {
  WorkerThread: 'workers without a name (policy)',
  V8Worker: v8Workers,
  'libuv-worker': 'libuv pool',
  writer: 'writer',
  auditor: 'auditor',
};

/** Reads what each kind of thread has used so far. */
export function readThreadCpu(pid: number): ThreadCpu {
  const used = new Map<string, number>();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const name = id === String(pid) ? 'main' : (names[read(pid, id, 'comm')] ?? 'others');
    const nanoseconds = Number(read(pid, id, 'schedstat').split(' ')[0]);
    used.set(name, (used.get(name) ?? 0) + nanoseconds / 1000);
  }
  return used;
}

// A thread may end while it is looked at.
function read(pid: number, id: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${id}/${file}`, 'utf8').trim();
  } catch {
    return '0';
  }
}

/** Adds what was used between two readings to a sum. */
export function addSpent(sum: Map<string, number>, before: ThreadCpu, after: ThreadCpu): void {
  for (const [name, used] of after) sum.set(name, (sum.get(name) ?? 0) + Math.max(0, used - (before.get(name) ?? 0)));
}

/** Reads what a server has used so far, in microseconds, without its auditor, which follows at its own pace. */
export function readServingCpu(pid: number): number {
  return [...readThreadCpu(pid)].reduce((sum, [name, used]) => (name === 'auditor' ? sum : sum + used), 0);
}
