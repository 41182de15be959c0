import type { TransparencyLog } from '../../../plugins/receipts/contract.ts';
import type { Harness } from './harness.ts';

type Answers<F> = F extends (...values: infer V) => infer T ? (...values: V) => Exclude<T, Promise<unknown>> : never;

/** The log of a store that is a file: what it reads is there at once. */
export type LogAtOnce = Pick<TransparencyLog, 'onAppend' | 'verifies'> & {
  readonly [K in Exclude<keyof TransparencyLog, 'onAppend' | 'verifies'>]: Answers<TransparencyLog[K]>;
};

/** Answers the log of receipts that are opened on a file. */
export function logOf({ services }: Pick<Harness, 'services'>): LogAtOnce {
  return services['transparencyLog'] as LogAtOnce;
}
