import { operation, type Operation } from '../../../../kernel/index.ts';
import { budgetsOf } from '../../../../plugins/budgets/settings.ts';
import budgetsStore from '../../../../plugins/budgets/store.ts';
import type { UsageRow } from '../../../../plugins/budgets/tables/usage.ts';
import { rowsOf } from '../../../../plugins/budgets/windows.ts';
import { subjects } from './bench.ts';

export type { UsageRow };

/** Makes the operation that adds the usage of a run. */
export const used = (change: Partial<UsageRow>): Operation =>
  operation(budgetsStore, 'use', {
    ...{ day: '2026-11-28', tenant: 'acme', orbiset_id: 'default', orb_id: 'llm.chat@1.0.0', principal: 'prn_1' },
    ...{ key_id: 'key_1', provider: 'one', model: 'fast', calls: 1, unknown_calls: 0, unpriced_calls: 0 },
    ...{ input_tokens: 10, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 5, reasoning_tokens: 0 },
    ...{ cost_nanos: 240, ...change },
  });

/** Makes the operation by which a run of a tenant reserves the same of several budgets. */
export function reserved(tenant: string, ask: number, at: number): Operation {
  const budgets = budgetsOf(
    {
      budgets: [
        { scope: 'tenant', per: 'day', tokens: 100 },
        { scope: 'tenant', per: 'month', nanos: 1_000_000_000 },
        { scope: 'model', per: 'minute', tokens: 1000 },
      ],
    },
    [],
  );
  const asks = rowsOf(budgets, { ...subjects, tenant: [tenant] }, at).map((row) => ({
    ...{ ...row, ask, tenant: row.scope === 'model' ? '' : tenant },
  }));
  return operation(budgetsStore, 'reserve', { run_id: `run_${tenant}`, at, asks });
}

/** Makes the operation by which a run reserves of the budget of a key. */
export function reservedOfKey(key: string, at: number): Operation {
  const budgets = budgetsOf({ budgets: [{ scope: 'key', per: 'day', tokens: 100 }] }, []);
  const asks = rowsOf(budgets, { ...subjects, key: [key] }, at).map((row) => ({ ...row, ask: 7, tenant: 'acme' }));
  return operation(budgetsStore, 'reserve', { run_id: `run_${key}`, at, asks });
}
