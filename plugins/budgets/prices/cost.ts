import { halfEven, roundedUp, unitsOf } from './decimal.ts';
import type { PriceEntry, TokenPrices } from './file.ts';

/** What a vendor said it used for a call. An absent count is unknown; zero is zero. */
export interface Usage {
  /** All of the input, with what a cache read and wrote. */
  readonly input_tokens?: number;
  readonly cache_read_tokens?: number;
  /** By the time to live of the cache. */
  readonly cache_write_tokens?: Readonly<Record<string, number>>;
  /** All of the output, with reasoning. */
  readonly output_tokens?: number;
  readonly reasoning_tokens?: number;
  /** `partial`: a running count before a cut. */
  readonly source: 'vendor' | 'partial' | 'absent';
}

// A price is 10⁻¹² dollars per 10⁶ tokens: of tokens times prices, a nano-dollar has 10⁹.
const perNano = 1_000_000_000n;

/**
 * Computes what a call cost, in nano-dollars, rounded once. Undefined when a count or a price is missing, or when the counts
 * contradict each other: a cost is never guessed.
 */
export function costOf(entry: PriceEntry, usage: Usage, serviceTier?: string): bigint | undefined {
  const { input_tokens: input, output_tokens: output, cache_read_tokens: read = 0 } = usage;
  if (usage.source !== 'vendor' || input === undefined || output === undefined) return undefined;
  const writes = Object.entries(usage.cache_write_tokens ?? {});
  const plain = writes.reduce((rest, [, count]) => rest - count, input - read);
  const { cache_write: written = {}, ...prices } = pricesFor(entry, input, serviceTier);
  const parts: readonly (readonly [count: number, price: string | undefined])[] = [
    [plain, prices.input],
    [read, prices.cache_read],
    ...writes.map(([ttl, count]) => [count, written[ttl]] as const),
    [output, prices.output],
  ];
  let sum = 0n;
  for (const [count, price] of parts) {
    if (!Number.isSafeInteger(count) || count < 0) return undefined;
    if (count === 0) continue;
    if (price === undefined) return undefined;
    sum += BigInt(count) * unitsOf(price);
  }
  return halfEven(sum, perNano);
}

function pricesFor({ per_mtok: usual, tiers = [] }: PriceEntry, input: number, serviceTier?: string): TokenPrices {
  const found = tiers.find(
    ({ when: { service_tier: named = serviceTier, input_over: over = -1 } }) => named === serviceTier && input > over,
  );
  return found?.per_mtok ?? usual;
}

/**
 * Computes the most that a call can cost, in nano-dollars, with so many tokens at most: each input token at the highest
 * price of the input, whatever a cache does, and in whichever tier. Undefined when the output has no price.
 */
export function mostCost(
  entry: PriceEntry,
  most: { readonly input: number; readonly output: number },
): bigint | undefined {
  let highest = 0n;
  for (const prices of [entry.per_mtok, ...(entry.tiers ?? []).map(({ per_mtok }) => per_mtok)]) {
    if (most.output > 0 && prices.output === undefined) return undefined;
    const inputs = [prices.input, prices.cache_read ?? '0', ...Object.values(prices.cache_write ?? {})].map(unitsOf);
    const input = inputs.reduce((high, one) => (one > high ? one : high), 0n);
    const sum = BigInt(most.input) * input + BigInt(most.output) * unitsOf(prices.output ?? '0');
    if (sum > highest) highest = sum;
  }
  return roundedUp(highest, perNano);
}
