import journalStore from './journal/store.ts';
import limitsStore from './run/limits/store.ts';
import queueStore from './queue/store.ts';
import runtimeStore from './store.ts';

/** The store modules of the runtime. */
export const runtimeStores = [
  { module: runtimeStore },
  { module: journalStore },
  { module: queueStore },
  { module: limitsStore },
] as const;
