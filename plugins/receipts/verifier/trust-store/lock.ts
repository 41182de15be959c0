import { setTimeout } from 'node:timers/promises';
import { tryLock } from '../../../../kernel/maintenance.ts';

const everyMs = 20;

/** Does work while no one else works under the same lock file. Throws after it has waited `waitMs` in vain. */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  { waitMs = 10_000 }: { readonly waitMs?: number } = {},
): Promise<T> {
  let taken = tryLock(path);
  for (let waited = 0; typeof taken === 'string' && waited < waitMs; waited += everyMs) {
    await setTimeout(everyMs);
    taken = tryLock(path);
  }
  if (typeof taken === 'string') throw new Error(`${path} is held by ${taken}`);
  try {
    return await work();
  } finally {
    taken.release();
  }
}
