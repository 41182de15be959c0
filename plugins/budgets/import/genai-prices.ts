import { priceOf } from '../prices/decimal.ts';
import type { PriceEntry, TokenPrices } from '../prices/file.ts';
import {
  Inexpressible,
  objectOf,
  usualTtl,
  type ExactObject,
  type Imported,
  type ImportOf,
  type Wanted,
} from './wanted.ts';

const kinds = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cache_read',
  cache_write_mtok: 'cache_write',
} as const;

type Name = keyof typeof kinds;

/** Converts the list of genai-prices (`data.json`): providers with models, dollars per million tokens. */
export function fromGenaiPrices(list: unknown, { wanted, source, day }: ImportOf): Imported {
  const providers = arrayOf(list);
  const notes: string[] = [];
  const entries = wanted.flatMap((model) => {
    const found = modelOf(providers, model);
    const name = `${model.provider} ${model.model}`;
    if (found === undefined) {
      notes.push(`${name}: the list has no price`);
      return [];
    }
    try {
      return datesOf(found['prices'], day).map(([from, prices]) => {
        const { adapter, provider, vendors } = model;
        const about = {
          adapter,
          model: model.model,
          provider,
          valid_from: from,
          source: `${source} ${String(found['id'])}`,
        };
        return { ...about, ...pricesOf(prices, usualTtl(vendors), (line) => notes.push(`${name}: ${line}`)) };
      });
    } catch (error) {
      if (!(error instanceof Inexpressible)) throw error;
      notes.push(`${name}: left out, ${error.message}`);
      return [];
    }
  });
  return { entries, notes };
}

function arrayOf(value: unknown): readonly ExactObject[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.map(objectOf).filter((one) => one !== undefined);
}

function modelOf(providers: readonly ExactObject[], { model, vendors }: Wanted): ExactObject | undefined {
  const own = providers.filter(({ id }) => vendors.includes(String(id)));
  return own.flatMap(({ models }) => arrayOf(models)).find(({ id, match }) => id === model || matches(match, model));
}

// How the list says which names are of a model.
function matches(clause: unknown, model: string): boolean {
  const { equals, starts_with: start, ends_with: end, contains, regex, or, and } = objectOf(clause) ?? {};
  if (typeof equals === 'string') return model === equals;
  if (typeof start === 'string') return model.startsWith(start);
  if (typeof end === 'string') return model.endsWith(end);
  if (typeof contains === 'string') return model.includes(contains);
  if (typeof regex === 'string') return new RegExp(regex).test(model);
  if (Array.isArray(or)) return or.some((one) => matches(one, model));
  return Array.isArray(and) && and.every((one) => matches(one, model));
}

// Prices may hold from a day on; the first ones hold before the others.
function datesOf(prices: unknown, day: string): readonly (readonly [from: string, prices: ExactObject])[] {
  if (!Array.isArray(prices)) return [[day, objectOf(prices) ?? {}]];
  return arrayOf(prices).map(({ constraint, prices: own }) => {
    const { start_date: start, ...others } = objectOf(constraint) ?? {};
    if (Object.keys(others).length > 0)
      throw new Inexpressible(`${Object.keys(others).join(', ')}: an unknown condition`);
    return [typeof start === 'string' ? start.slice(0, 10) : '1970-01-01', objectOf(own) ?? {}];
  });
}

type Priced = Pick<PriceEntry, 'currency' | 'per_mtok' | 'tiers'>;

function pricesOf(prices: ExactObject, ttl: string, note: (line: string) => void): Priced {
  for (const name of Object.keys(prices)) {
    if (name in kinds) continue;
    if (name.endsWith('_kcount')) throw new Inexpressible(`${name}: a price that is not per token`);
    note(`${name} is not expressed`);
  }
  const names = (Object.keys(kinds) as readonly Name[]).filter((name) => prices[name] !== undefined);
  const starts = new Set(names.flatMap((name) => tiersOf(prices[name]).map(([start]) => start)));
  const above = (start: number): TokenPrices => {
    const own = names.map((name) => [kinds[name], priceAbove(prices[name], start, name)] as const);
    const { input, cache_write: written, ...rest } = Object.fromEntries(own);
    if (input === undefined) throw new Inexpressible('the list has no input_mtok');
    return { input, ...rest, ...(written === undefined ? {} : { cache_write: { [ttl]: written } }) };
  };
  const sorted = [...starts].sort((a, b) => b - a);
  const tiers = sorted.map((start) => ({ when: { input_over: start }, per_mtok: above(start) }));
  return { currency: 'USD', per_mtok: above(-1), ...(tiers.length === 0 ? {} : { tiers }) };
}

// A price is a number, or one with others above some number of input tokens.
function tiersOf(value: unknown): readonly (readonly [start: number, price: unknown])[] {
  const { tiers } = objectOf(value) ?? {};
  return arrayOf(tiers).map(({ start, price }) => [Number(start), price] as const);
}

function priceAbove(value: unknown, start: number, name: Name): string {
  const highest = tiersOf(value)
    .filter(([from]) => from <= start)
    .sort(([a], [b]) => b - a)[0];
  const number = String(highest?.[1] ?? objectOf(value)?.['base'] ?? value);
  const price = priceOf(number, 0);
  if (price === undefined) throw new Inexpressible(`${name}: ${number} is not a price`);
  return price;
}
