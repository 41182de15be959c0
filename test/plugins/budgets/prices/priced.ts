import type { PriceEntry } from '../../../../plugins/budgets/prices/file.ts';

/** Makes an entry of a price file. */
export function priced(per_mtok: PriceEntry['per_mtok'], change: Partial<PriceEntry> = {}): PriceEntry {
  return {
    ...{ adapter: 'llm/anthropic', model: 'claude', valid_from: '2026-01-01', source: 'test', currency: 'USD' },
    ...{ per_mtok, ...change },
  };
}

/** The text of a price file with some entries. */
export function priceText(prices: readonly object[]): string {
  return JSON.stringify({ version: 1, prices });
}
