import { operation, type Store } from '../../../../kernel/index.ts';
import type { Memory } from '../cluster/memory.ts';
import { pruneInSteps, type Pruned } from '../store/pruning.ts';
import { incidentPart } from '../store/store-part.ts';

interface ForgettingOptions {
  readonly store: Pick<Store, 'write'>;
  readonly memory: Pick<Memory, 'clear'>;
  readonly stopped: () => boolean;
  /** Runs one step while nothing else changes incidents. */
  readonly alone: (step: () => Promise<Pruned | undefined>) => Promise<Pruned | undefined>;
}

/** Deletes the events of incidents that were over before a moment, step by step, until it is stopped. */
export async function forgetBefore(beforeMs: number, options: ForgettingOptions): Promise<void> {
  const { alone, memory, stopped, store } = options;
  await pruneInSteps(beforeMs, (prune) =>
    alone(async () => {
      if (stopped()) return undefined;
      const [done] = await store.write([operation(incidentPart, 'pruneIncidents', prune)]);
      if (done.pruned > 0) memory.clear();
      return done;
    }),
  );
}
