import { given } from '../../../kernel/index.ts';
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
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cache_read',
  cache_creation_input_token_cost: 'cache_write',
} as const;

type Kind = (typeof kinds)[keyof typeof kinds];

const known = new RegExp(
  `^(${Object.keys(kinds).join('|')})(_above_1hr)?(?:_above_(\\d+)k_tokens)?(?:_(priority|flex))?$`,
);
const tokens = new RegExp(`^(${Object.keys(kinds).join('|')})`);

// The price of dollars per token, as dollars per million.
const perMillion = 6;

/** Converts LiteLLM's list (`model_prices_and_context_window.json`): dollars per token, the condition in the name. */
export function fromLitellm(list: unknown, { wanted, source, day }: ImportOf): Imported {
  const models = objectOf(list) ?? {};
  const notes: string[] = [];
  const entries = wanted.flatMap((model) => {
    const [key, found] = entryOf(models, model) ?? [];
    const name = `${model.provider} ${model.model}`;
    if (key === undefined || found === undefined) {
      notes.push(`${name}: the list has no price`);
      return [];
    }
    try {
      const prices = pricesOf(found, model, (line) => notes.push(`${name}: ${line}`));
      const { adapter, provider } = model;
      return [{ ...{ adapter, model: model.model, provider, valid_from: day, source: `${source} ${key}` }, ...prices }];
    } catch (error) {
      if (!(error instanceof Inexpressible)) throw error;
      notes.push(`${name}: left out, ${error.message}`);
      return [];
    }
  });
  return { entries, notes };
}

function entryOf(models: ExactObject, { model, vendors }: Wanted): readonly [string, ExactObject] | undefined {
  for (const key of [...vendors.map((vendor) => `${vendor}/${model}`), model]) {
    const found = objectOf(models[key]);
    if (found !== undefined && vendors.includes(String(found['litellm_provider']))) return [key, found];
  }
  return undefined;
}

interface Tier {
  readonly over: number | undefined;
  readonly service: string | undefined;
  readonly prices: Partial<Record<Kind, string>> & { written: Record<string, string> };
}

type Priced = Pick<PriceEntry, 'currency' | 'per_mtok' | 'tiers'>;

function pricesOf(entry: ExactObject, { vendors }: Wanted, note: (line: string) => void): Priced {
  const tiers = new Map<string, Tier>();
  const reasoning = entry['output_cost_per_reasoning_token'];
  if (reasoning !== undefined && reasoning !== entry['output_cost_per_token'])
    throw new Inexpressible('output_cost_per_reasoning_token: reasoning has a price of its own');
  for (const [name, value] of Object.entries(entry)) {
    if (!/_cost|_pricing/.test(name) || name === 'output_cost_per_reasoning_token') continue;
    const [, base, hour, over, service] = known.exec(name) ?? [];
    if (base === undefined) {
      if (name.endsWith('_batches') || !(tokens.test(name) || name.endsWith('_pricing')))
        note(`${name} is not expressed`);
      else throw new Inexpressible(`${name}: an unknown condition`);
      continue;
    }
    const price = priceOf(String(value), perMillion);
    if (price === undefined) throw new Inexpressible(`${name}: ${String(value)} is not a price`);
    const key = `${service ?? ''} ${over ?? ''}`;
    const threshold = over === undefined ? undefined : Number(over) * 1000;
    const tier: Tier = tiers.get(key) ?? { over: threshold, service, prices: { written: {} } };
    tiers.set(key, tier);
    const kind = kinds[base as keyof typeof kinds];
    if (kind === 'cache_write') tier.prices.written[hour === undefined ? usualTtl(vendors) : '1h'] = price;
    else tier.prices[kind] = price;
  }
  const usual = tiers.get(' ');
  if (usual === undefined) throw new Inexpressible('the list has no price per token');
  tiers.delete(' ');
  const rest = [...tiers.values()].sort(byConditions).map((tier) => ({
    when: given({ service_tier: tier.service, input_over: tier.over }),
    per_mtok: tokenPrices(tier),
  }));
  return { currency: 'USD', per_mtok: tokenPrices(usual), ...(rest.length === 0 ? {} : { tiers: rest }) };
}

// The first tier whose conditions hold applies: those with more conditions, and higher thresholds, come first.
function byConditions(a: Tier, b: Tier): number {
  const rank = ({ over, service }: Tier): number => (service === undefined ? 0 : 1e9) + (over ?? 0);
  return rank(b) - rank(a);
}

function tokenPrices({ prices: { written, input, output, cache_read: read } }: Tier): TokenPrices {
  if (input === undefined) throw new Inexpressible('a condition has no input_cost_per_token');
  const cacheWrite = Object.keys(written).length === 0 ? undefined : written;
  return { input, ...given({ output, cache_read: read, cache_write: cacheWrite }) };
}
