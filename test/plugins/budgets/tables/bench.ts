import type { WindowRow } from '../../../../plugins/budgets/tables/windows.ts';
import budgetsStore from '../../../../plugins/budgets/store.ts';
import type { WriterScope } from '../../../../kernel/index.ts';
import { budgetsOf, type WrittenBudgets } from '../../../../plugins/budgets/settings.ts';
import { rowsOf, type Subjects } from '../../../../plugins/budgets/windows.ts';
import type { EngineStore } from '../../../helpers/stores/engines.ts';

/** When the calls of these tests are made. */
export const at = Date.parse('2026-11-28T12:00:00Z');

/** What the calls of these tests count for. */
export const subjects: Subjects = {
  ...{ tenant: ['acme'], principal: ['prn_1'], key: ['key_1'], orbiset: ['default'] },
  ...{ provider: ['one', 'two'], model: ['fast'] },
};

const connection = {
  prepare: () => ({ queue: () => undefined, must: () => undefined, run: () => 0, get: () => undefined, all: () => [] }),
};
const names = Object.keys(budgetsStore.write({ connection } as unknown as WriterScope).operations);

/** One operation of a write. */
export type Write = readonly [name: string, args: unknown];

/** Makes the operation that reserves the same of each budget for a run. */
export function reserving(
  runId: string,
  budgets: NonNullable<WrittenBudgets['budgets']>,
  ask: number,
  of = subjects,
): Write {
  const rows = rowsOf(budgetsOf({ budgets }, []), of, at);
  const asks = rows.map((row) => ({ ...row, tenant: of.tenant[0] ?? '', ask }));
  return ['reserve', { run_id: runId, at, asks }];
}

/** Commits writes as one batch; answers for each with the code of the problem it was refused with, or undefined. */
export async function commit(
  store: EngineStore,
  writes: readonly (readonly Write[])[],
): Promise<(string | undefined)[]> {
  const all = writes.flat();
  const { failures } = await store.commit({
    ...{ kind: 'batch', at, sizes: writes.map(({ length }) => length) },
    ...{ codes: all.map(([name]) => names.indexOf(name)), args: all.map(([, args]) => args) },
  });
  const codes = writes.map((): string | undefined => undefined);
  for (const [index, failure] of failures)
    codes[index] = 'code' in failure ? String(failure.code) : JSON.stringify(failure);
  return codes;
}

/** Reads the counts of all windows. */
export async function counts(
  store: EngineStore,
): Promise<readonly Pick<WindowRow, 'spent' | 'assumed' | 'reserved'>[]> {
  const rows = await store.rows('SELECT spent, assumed, reserved FROM budgets_windows ORDER BY id');
  return rows.map(({ spent, assumed, reserved }) => ({
    ...{ spent: Number(spent), assumed: Number(assumed), reserved: Number(reserved) },
  }));
}
