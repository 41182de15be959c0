import { setTimeout as pause } from 'node:timers/promises';
import type { OpenStore } from '../../kernel/store/serving/store.ts';

/** Whether the platforms of this run read their stores late: `STORE_READS=late npx mocha test/…`. */
export const readsLate: boolean = process.env['STORE_READS'] === 'late';

/**
 * Answers each read of a store by a promise that resolves in a later turn of the event loop, as an engine of another
 * process does: whatever relies on the answer of this turn fails.
 */
export function late(store: OpenStore): OpenStore {
  // The contract lets every read answer a promise.
  return {
    ...store,
    reads: (module) => lateReads(store.reads(module)),
  };
}

function lateReads<R>(reads: R): R {
  if (typeof reads === 'function')
    return (async (...values: unknown[]) => {
      await pause(1);
      const answer: unknown = await (reads as (...all: readonly unknown[]) => unknown)(...structuredClone(values));
      await pause(1);
      return structuredClone(answer);
    }) as R;
  return Object.fromEntries(Object.entries(reads as object).map(([name, member]) => [name, lateReads(member)])) as R;
}
