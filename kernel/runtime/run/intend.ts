import { operation, type Store } from '../../store/contract.ts';
import type { DispatchOptions } from '../dispatch/dispatch.ts';
import { interruptedFact } from './run-fact.ts';
import journalStore from '../journal/store.ts';

/** Makes the writer of intents: each is durable before its call begins, and takes the caller's key with it. */
export function intends(store: Store): DispatchOptions['intend'] {
  return async (run, attempts, provider) => {
    const fact = interruptedFact(run, provider === undefined ? { attempts } : { attempts, provider });
    // Each of them: attempts that called nobody have no intent, so the first intent need not be of the first attempt.
    const claimed = run.claim?.claimed() ?? [];
    await store.write([
      operation(journalStore, 'intend', { run_id: run.run_id, fact: JSON.stringify(fact) }),
      ...claimed,
    ]);
  };
}
