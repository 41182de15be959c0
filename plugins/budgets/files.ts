import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compileLater } from '../../kernel/index.ts';
import { readPrices, type Prices } from './prices/file.ts';
import { budgetsOf, config, type Budget, type Settings } from './settings.ts';

/** What the plugin reads before it starts. */
export interface BudgetFiles {
  /** Undefined: there is no price file. */
  readonly prices: Prices | undefined;
  /** Where they are, or would be. */
  readonly path: string;
  readonly budgets: readonly Budget[];
}

interface Source {
  readonly home: string;
  /** The plugins of platform.json, as they are written there. */
  readonly plugins: Readonly<Record<string, false | { readonly config?: object | undefined }>>;
}

const validate = compileLater(config);
const nothing: BudgetFiles = Object.freeze({ prices: undefined, path: '', budgets: [] });

/** Path of the price file of a home, by the settings as they are written. */
export function pricesPath({ home, plugins }: Source): string {
  const own = plugins['budgets'];
  const { prices = 'data/prices.json' } = (own === false ? undefined : (own?.config as Settings)) ?? {};
  return resolve(home, prices);
}

/** Reads the price file and the budgets, at the start and by `orb config check`. */
export const budgetFiles = {
  read({ config: source }: { readonly config: Source }, faults: string[]): BudgetFiles {
    const own = source.plugins['budgets'];
    const settings = structuredClone((own === false ? undefined : own?.config) ?? {}) as Settings;
    // The faults of the schema are reported with those of all plugins.
    if (own === false || validate(settings).length > 0) return nothing;
    const budgets = budgetsOf(settings, faults);
    const path = pricesPath(source);
    if (existsSync(path))
      return { prices: readPrices(readFileSync(path), settings.prices ?? path, faults), path, budgets };
    const named = own?.config !== undefined && 'prices' in own.config;
    if (named) faults.push(`plugins.budgets/prices: there is no file ${path}`);
    return { prices: undefined, path, budgets };
  },
  check: (): Promise<void> => Promise.resolve(),
  list: () => ({}),
};
