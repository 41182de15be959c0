import type { Command } from '../../kernel/index.ts';
import { apiCommand, dollars, listing, optionsOf, pageOptions } from '../terminal/contract.ts';
import type { BudgetPage, UsagePage } from './schema.ts';
import { usageNames } from './tables/usage.ts';

/** Commands of budgets and usage. */
export const budgetCommands: readonly Command[] = [
  apiCommand<BudgetPage>({
    path: 'budgets',
    summary: 'list budgets: what is spent, assumed and reserved, and when they reset',
    options: [
      ...pageOptions,
      ...optionsOf({
        '--scope <scope>':
          'only those of tenants, principals, keys …: tenant, principal, key, orbiset, provider, model',
        '--subject <name>': 'only those of this id or name',
      }),
    ],
    route: 'GET /budgets',
    show: ({ budgets }) =>
      listing(
        ['SCOPE', 'SUBJECT', 'PER', 'LIMIT', 'SPENT', 'ASSUMED', 'RESERVED', 'RESETS'],
        budgets.map(({ scope, subject, per, unit, limit, spent, assumed, reserved, resets_at }) => [
          ...[scope, subject, per, ...[limit, spent, assumed, reserved].map((n) => amount(n, unit)), resets_at],
        ]),
      ),
  }),
  apiCommand<UsagePage>({
    path: 'usage',
    summary: 'show the tokens and the cost of calls by model, key, day …',
    options: [
      ...pageOptions,
      ...optionsOf({
        '--by <names>': { description: `up to four of ${usageNames.join(', ')}`, default: 'model' },
        '--from <day>': 'the first day, UTC: 2026-01-31 (default: 30 days ago)',
        '--to <day>': 'the last day, UTC (default: today)',
        '--model <alias>': 'only this alias',
        '--key-id <id>': 'only this key',
        '--orbiset-id <id>': 'only this Orbiset',
        '--provider <name>': 'only this provider',
      }),
    ],
    route: 'GET /usage',
    show: ({ usage }, { options: { by } }) => {
      const names = usageNames.filter((name) =>
        String(by ?? 'model')
          .split(',')
          .includes(name),
      );
      return listing(
        [...names.map((name) => name.toUpperCase()), 'CALLS', 'INPUT', 'OUTPUT', 'COST', 'WITHOUT COST'],
        usage.map(({ calls, input_tokens, output_tokens, cost_nanos, unpriced_calls, ...row }) => [
          ...names.map((name) => row[name] ?? ''),
          ...[calls, input_tokens, output_tokens].map(String),
          ...[amount(cost_nanos, 'nanos'), String(unpriced_calls)],
        ]),
      );
    },
  }),
];

const amount = (count: number, unit: 'tokens' | 'nanos'): string =>
  unit === 'tokens' ? `${count} tokens` : dollars(count);
