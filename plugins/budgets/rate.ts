import type { Clock } from '../../kernel/index.ts';
import type { TokenRate, TokenRateOf } from './contract.ts';
import type { Budget } from './settings.ts';
import type { BudgetReads } from './store.ts';
import { rowsOf, type Subjects } from './windows.ts';

/** What token rates are read with. */
export interface RateScope {
  readonly budgets: readonly Budget[];
  readonly reads: Pick<BudgetReads, 'counts'>;
  readonly clock: Pick<Clock, 'now'>;
}

const unused = { spent: 0, assumed: 0, reserved: 0 };

/** Makes what reads token rates; undefined: there are none, so that no call is kept waiting. */
export function tokenRates({ budgets, clock, reads }: RateScope): TokenRateOf | undefined {
  const rates = budgets.filter(({ per, unit }) => per === 'minute' && unit === 'tokens');
  if (rates.length === 0) return undefined;
  return async ({ principal: { id, key_id, tenant }, orbiset_id, model, provider }) => {
    const subjects: Subjects = {
      ...{ tenant: [tenant], principal: [id], key: [key_id], orbiset: [orbiset_id], model: [model] },
      provider: provider === undefined ? [] : [provider],
    };
    const found = rowsOf(rates, subjects, clock.now()).map(async ({ id: row, most, ends_at }): Promise<TokenRate> => {
      const { assumed, reserved, spent } = (await reads.counts(row)) ?? unused;
      return { limit: most, remaining: Math.max(0, most - spent - assumed - reserved), ends_at };
    });
    return (await Promise.all(found)).sort((one, other) => one.remaining - other.remaining)[0];
  };
}
