import { fixtures, type Expected, type Fixture } from './fixtures.ts';

/** The alias of the model of a fixture. */
export const aliasOf = ({ name, vendor }: Fixture): string => `${vendor}-${name}`;
const perMtok = { input: '2.345678', output: '11.25', cache_read: '0.234567' };
const cacheWrite = { '5m': '2.9375001', '1h': '4.7', default: '3.1' };
/** The adapters of the vendors. */
export const adapters = { openai: 'llm/openai-compatible', anthropic: 'llm/anthropic' } as const;
/** The price file of the operator. */
export const prices = {
  version: 1,
  prices: [
    ...fixtures.map((one) => ({
      ...{
        adapter: adapters[one.vendor],
        model: aliasOf(one),
        valid_from: '2026-01-01',
        source: 'test',
        currency: 'USD',
      },
      per_mtok: { ...perMtok, cache_write: cacheWrite },
    })),
    {
      ...{ adapter: adapters.openai, model: 'embed', valid_from: '2026-01-01', source: 'test', currency: 'USD' },
      per_mtok: { input: '0.02' },
    },
  ],
};

/** Computes a cost not as the program does: prices with 12 decimals, rounded once, half to even. */
export function nanosOf(usage: Expected): number | undefined {
  const {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: read = 0,
    cache_write_tokens: writes = {},
  } = usage;
  if (input === undefined || output === undefined) return undefined;
  const scaled = (price: string): bigint => {
    const [whole = '', rest = ''] = price.split('.');
    return BigInt(whole + rest.padEnd(12, '0'));
  };
  const written = Object.values(writes).reduce((sum, count) => sum + count, 0);
  let sum = BigInt(input - read - written) * scaled(perMtok.input);
  sum += BigInt(read) * scaled(perMtok.cache_read) + BigInt(output) * scaled(perMtok.output);
  for (const [ttl, count] of Object.entries(writes)) sum += BigInt(count) * scaled(cacheWrite[ttl as '5m']);
  const [nanos, rest] = [sum / 10n ** 9n, sum % 10n ** 9n];
  const up = 2n * rest > 10n ** 9n || (2n * rest === 10n ** 9n && nanos % 2n === 1n);
  return Number(nanos + (up ? 1n : 0n));
}
