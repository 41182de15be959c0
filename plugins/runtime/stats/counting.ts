import runtimeStore from '../store.ts';
import type { Sample } from '../tables/counts.ts';
import { operation, type Operation } from '../../../kernel/index.ts';

export type { Sample };

/** Makes the write that counts samples. */
export function counting(samples: readonly Sample[]): Operation {
  return operation(runtimeStore, 'count', { samples });
}
