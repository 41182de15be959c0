import { given, type Clock } from '../../kernel/index.ts';
import type { SpendContext } from '../policy/contract.ts';
import type { CallDescription } from '../runtime/contract.ts';
import type { Meter } from './meter.ts';
import { callOf } from './port.ts';
import type { BudgetReads } from './store.ts';

/** What spending is read with. */
export interface SpendScope {
  readonly meter: Pick<Meter, 'rowsOf'>;
  readonly reads: Pick<BudgetReads, 'counts'>;
  readonly clock: Pick<Clock, 'now'>;
}

type Budget = SpendContext['budgets'][number];

/** Tells policies what is spent of the budgets that apply to a metered call. */
export function spendDescription({ clock, meter, reads }: SpendScope): CallDescription {
  return {
    concerns: ({ manifest }) => manifest.metered === true,
    describe(call) {
      const rows = meter.rowsOf(callOf(call), clock.now());
      return rows.length === 0 ? { spend: { budgets: [] } } : spendOf(rows, reads);
    },
  };
}

type Told = { readonly spend: SpendContext };

async function spendOf(rows: ReturnType<Meter['rowsOf']>, reads: SpendScope['reads']): Promise<Told> {
  const budgets = await Promise.all(
    rows.map(async ({ id, most, per, scope, subject, unit }): Promise<Budget> => {
      const counts = (await reads.counts(id)) ?? none;
      return { scope, subject, per, unit, ...counts, limit: most };
    }),
  );
  const ofKey = (per: string): Counts | undefined => {
    const found = budgets.find((one) => one.scope === 'key' && one.unit === 'nanos' && one.per === per);
    return found && countsOf(found);
  };
  return { spend: { budgets, ...given({ day: ofKey('day'), month: ofKey('month') }) } };
}

const none = { spent: 0, assumed: 0, reserved: 0 };

type Counts = Pick<Budget, 'spent' | 'assumed' | 'reserved' | 'limit'>;

const countsOf = ({ spent, assumed, reserved, limit }: Budget): Counts => ({ spent, assumed, reserved, limit });
