import { createHash } from 'node:crypto';
import { compileLater, exactly, optional, parseJson, type Infer } from '../../../kernel/index.ts';
import { pricePattern } from './decimal.ts';

const price = (description: string) => ({ type: 'string', pattern: pricePattern, description }) as const;
const name = { type: 'string', minLength: 1, maxLength: 200 } as const;

const perMtok = exactly('TokenPrices', {
  input: price('A million input tokens that are neither read from a cache nor written to one'),
  output: optional(price('A million output tokens, reasoning included; absent: a call with output has no cost')),
  cache_read: optional(price('A million input tokens that were read from a cache')),
  cache_write: optional({
    type: 'object',
    propertyNames: { pattern: '^[a-z0-9]{1,16}$' },
    additionalProperties: { type: 'string', pattern: pricePattern },
    description: 'A million input tokens that were written to a cache, by its time to live: `5m`, `1h`, `default`',
  }),
});

const tier = exactly('PriceTier', {
  when: {
    ...exactly({
      service_tier: optional({ ...name, description: 'The tier of service that the vendor says it used' }),
      input_over: optional({ type: 'integer', minimum: 1, description: 'More input tokens than these' }),
    }),
    minProperties: 1,
    description: 'All of its conditions must hold',
  },
  per_mtok: { ...perMtok, description: 'The prices of all tokens of such a call' },
});

const entry = exactly('Price', {
  adapter: { ...name, description: 'The adapter: `anthropic`, `openai-compatible`' },
  model: { ...name, description: 'The name of the model at the vendor' },
  provider: optional({ ...name, description: 'Only for this provider of platform.json. Default: any of the adapter' }),
  valid_from: { type: 'string', format: 'date', description: 'The first day, UTC, on which these prices hold' },
  source: { ...name, maxLength: 500, description: 'Where the prices are from' },
  currency: { const: 'USD', description: 'The currency of the prices' },
  per_mtok: { ...perMtok, description: 'Prices per million tokens' },
  tiers: optional({
    type: 'array',
    maxItems: 20,
    items: tier,
    description: 'Other prices for some calls; the first tier whose conditions hold applies',
  }),
});

/** Schema of the operator's price file. */
export const priceFile = exactly('PriceFile', {
  version: { const: 1, description: 'The format of the file' },
  prices: { type: 'array', maxItems: 20_000, items: entry, description: 'The prices' },
});

/** The prices of one call. */
export type TokenPrices = Infer<typeof perMtok>;

/** One entry of the price file. */
export type PriceEntry = Infer<typeof entry>;

/** The operator's price file, as it was read. */
export interface Prices {
  /** The entries of each model, by `keyOf`. */
  readonly models: ReadonlyMap<string, readonly PriceEntry[]>;
  /** `sha256:<hex>` of the bytes of the file, as receipts name it. */
  readonly digest: string;
}

const validate = compileLater(priceFile);

/** Reads a price file. Each fault is added to `faults`; then the answer is undefined. */
export function readPrices(bytes: Uint8Array, path: string, faults: string[]): Prices | undefined {
  const before = faults.length;
  const text = Buffer.from(bytes).toString('utf8');
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    faults.push(`${path} is not valid JSON`);
    return undefined;
  }
  for (const { pointer, detail } of validate(value)) faults.push(`${path}${pointer}: ${detail}`);
  if (faults.length > before) return undefined;
  // The schema has checked it.
  const { prices: entries } = value as Infer<typeof priceFile>;
  const models = new Map<string, PriceEntry[]>();
  for (const one of entries) {
    const known = models.get(keyOf(one)) ?? [];
    if (known.some(({ provider, valid_from: from }) => provider === one.provider && from === one.valid_from))
      faults.push(`${path}: ${one.adapter} ${one.model} has two prices from ${one.valid_from}`);
    models.set(keyOf(one), [...known, one]);
  }
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return faults.length > before ? undefined : { models, digest };
}

/** A model of a provider. */
export interface PricedModel {
  readonly adapter: string;
  readonly provider: string;
  /** Its name at the vendor. */
  readonly model: string;
}

const keyOf = ({ adapter, model }: Pick<PricedModel, 'adapter' | 'model'>): string => `${adapter}\n${model}`;

/** Finds the prices of a model on a day (`2026-11-28`): of its provider before those of any, the newest that hold. */
export function priceFor({ models }: Pick<Prices, 'models'>, model: PricedModel, day: string): PriceEntry | undefined {
  const rank = ({ provider, valid_from: from }: PriceEntry): string => `${provider === undefined ? 0 : 1} ${from}`;
  return (models.get(keyOf(model)) ?? [])
    .filter(({ provider = model.provider, valid_from: from }) => provider === model.provider && from <= day)
    .sort((a, b) => (rank(a) < rank(b) ? 1 : -1))[0];
}
