import { optional, exactly, integer, type Infer } from '../../kernel/index.ts';

/** What a budget counts for: each tenant, principal, key, Orbiset, provider or model alias has its own. */
export const budgetScopes = ['tenant', 'principal', 'key', 'orbiset', 'provider', 'model'] as const;

/** The windows of budgets, by the calendar of UTC. */
export const periods = ['minute', 'day', 'month'] as const;

/** What a budget counts. */
export const units = ['tokens', 'nanos'] as const;

/** What a budget counts for. */
export type BudgetScope = (typeof budgetScopes)[number];

/** The window of a budget. */
export type Period = (typeof periods)[number];

/** What a budget counts. */
export type Unit = (typeof units)[number];

const limit = (description: string) =>
  ({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }) as const;

const budget = exactly({
  scope: { enum: budgetScopes, description: 'What has a budget of its own; `model` is the alias that callers name' },
  of: optional({
    type: 'string',
    minLength: 1,
    maxLength: 128,
    description: 'Only this one, by its id or name, in place of the budget for each. Default: each',
  }),
  per: { enum: periods, description: 'The window, by the calendar of UTC' },
  tokens: optional(limit('Most tokens, of input and output together')),
  nanos: optional(limit('Most nano-dollars: 1000000000 is one dollar')),
});

/** Schema of the settings of the plugin. */
export const config = exactly({
  prices: optional({
    type: 'string',
    maxLength: 4096,
    default: 'data/prices.json',
    description:
      'Path of the price file; relative to ORB_HOME. Read again when it changes. Without it no call has a cost',
  }),
  budgets: optional({
    type: 'array',
    maxItems: 200,
    items: budget,
    description:
      'Budgets of metered runs: `scope`, `of`, `per`, and either `tokens` or `nanos`. A call that could exceed one is refused. Default: none',
  }),
  unpriced: optional({
    enum: ['refuse', 'allow'],
    default: 'refuse',
    description:
      'Whether a call to a model without a price is refused when a budget in nano-dollars applies to it; `allow`: such a budget does not count it',
  }),
  retention_days: optional(integer(31, 36_500, 400, 'How many days usage is kept')),
});

/** The settings of the plugin. */
export type Settings = Infer<typeof config>;

/** A budget as it is configured. */
export interface Budget {
  readonly scope: BudgetScope;
  readonly of: string | undefined;
  readonly per: Period;
  readonly unit: Unit;
  readonly limit: number;
}

/** The part of the settings with the budgets. */
export interface WrittenBudgets {
  readonly budgets?: readonly Readonly<NonNullable<Settings['budgets']>[number]>[];
}

/** Reads the budgets of the settings; each fault is added to `faults`. */
export function budgetsOf({ budgets = [] }: WrittenBudgets, faults: string[]): readonly Budget[] {
  const seen = new Set<string>();
  return budgets.flatMap(({ scope, of, per, tokens, nanos }, at) => {
    const place = `plugins.budgets/budgets/${at}`;
    const limits = [tokens, nanos].filter((one) => one !== undefined);
    const [most] = limits;
    if (limits.length !== 1 || most === undefined) {
      faults.push(`${place}: give either tokens or nanos`);
      return [];
    }
    const unit = tokens === undefined ? 'nanos' : 'tokens';
    const key = [scope, of ?? '', per, unit].join('\n');
    if (seen.has(key)) faults.push(`${place}: there is a budget of ${unit} per ${per} of this scope already`);
    seen.add(key);
    return [{ scope, of, per, unit, limit: most }];
  });
}
