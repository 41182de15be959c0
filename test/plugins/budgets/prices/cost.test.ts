import { expect } from 'chai';
import fc from 'fast-check';
import { costOf, mostCost, type Usage } from '../../../../plugins/budgets/prices/cost.ts';
import type { TokenPrices } from '../../../../plugins/budgets/prices/file.ts';
import { priced } from './priced.ts';

const usage = (change: Partial<Usage>): Usage => ({ input_tokens: 0, output_tokens: 0, source: 'vendor', ...change });

const claude: TokenPrices = {
  ...{ input: '3', output: '15', cache_read: '0.3', cache_write: { '5m': '3.75', '1h': '6' } },
};

// A price with at most six decimals, and the same as a fraction of 10⁶, made without the code under test.
const price = fc
  .integer({ min: 0, max: 500_000_000 })
  .map((millionths) => ({ millionths, text: String(millionths / 1e6).includes('e') ? '0' : String(millionths / 1e6) }))
  .filter(({ millionths, text }) => Math.round(Number(text) * 1e6) === millionths);
const count = fc.integer({ min: 0, max: 2_000_000 });

describe('the cost of a call', () => {
  it('counts each kind of token at its own price', () => {
    const call = usage({
      ...{ input_tokens: 1_000_000, cache_read_tokens: 500_000, cache_write_tokens: { '5m': 100_000, '1h': 50_000 } },
      output_tokens: 200_000,
    });
    // 350,000 × 3 + 500,000 × 0.3 + 100,000 × 3.75 + 50,000 × 6 + 200,000 × 15 dollars per million.
    expect(costOf(priced(claude), call)).to.equal(4_875_000_000n);
  });

  const absent: readonly (readonly [title: string, prices: TokenPrices, call: Partial<Usage>])[] = [
    ['the input is unknown', claude, { input_tokens: undefined as never }],
    ['the output is unknown', claude, { output_tokens: undefined as never }],
    ['the counts are those before a cut', claude, { source: 'partial', input_tokens: 5, output_tokens: 5 }],
    ['a cache read without a price', { input: '3', output: '15' }, { input_tokens: 5, cache_read_tokens: 5 }],
    ['a cache was written for a time without a price', claude, { input_tokens: 5, cache_write_tokens: { '2h': 5 } }],
    ['the output has no price', { input: '3' }, { output_tokens: 1 }],
    ['a cache read more than there was', claude, { input_tokens: 5, cache_read_tokens: 6 }],
    ['a count is negative', claude, { input_tokens: 5, output_tokens: -1 }],
    ['a count is no whole number', claude, { input_tokens: 1.5 }],
  ];
  for (const [title, prices, call] of absent)
    it(`is absent when ${title}`, () => expect(costOf(priced(prices), usage(call))).to.equal(undefined));

  it('of nothing is zero, and a price of zero is zero', () => {
    expect(costOf(priced(claude), usage({}))).to.equal(0n);
    const free = priced({ input: '0', output: '0' });
    expect(costOf(free, usage({ input_tokens: 9_000_000, output_tokens: 9 }))).to.equal(0n);
    // No token needs no price.
    expect(costOf(priced({ input: '0.02' }), usage({ input_tokens: 12, cache_read_tokens: 0 }))).to.equal(240n);
  });

  it('of a million embeddings of 12 tokens sums exactly', () => {
    const one = costOf(priced({ input: '0.02' }), usage({ input_tokens: 12 })) ?? 0n;
    let sum = 0n;
    for (let n = 0; n < 1_000_000; n++) sum += one;
    expect([one, sum]).to.deep.equal([240n, 240_000_000n]);
  });

  it('follows the first tier whose conditions hold', () => {
    const tiers = [
      { when: { service_tier: 'priority', input_over: 200_000 }, per_mtok: { input: '12', output: '1' } },
      { when: { service_tier: 'priority' }, per_mtok: { input: '6', output: '1' } },
      { when: { input_over: 200_000 }, per_mtok: { input: '4', output: '1' } },
    ];
    const entry = priced({ input: '2', output: '1' }, { tiers });
    const cost = (input_tokens: number, tier?: string) => Number(costOf(entry, usage({ input_tokens }), tier)) / 1000;
    expect([
      cost(200_000),
      cost(200_001),
      cost(1, 'priority'),
      cost(200_001, 'priority'),
      cost(1, 'flex'),
    ]).to.deep.equal([400_000, 800_004, 6, 2_400_012, 2]);
  });

  it('equals a recomputation with whole numbers, and never exceeds the bound of the call', () => {
    const parts = fc.record({ plain: count, read: count, short: count, long: count, output: count });
    const prices = fc.record({ plain: price, read: price, short: price, long: price, output: price });
    fc.assert(
      fc.property(parts, prices, fc.nat(1000), (n, p, slack) => {
        const entry = priced({
          ...{ input: p.plain.text, output: p.output.text, cache_read: p.read.text },
          cache_write: { '5m': p.short.text, '1h': p.long.text },
        });
        const input = n.plain + n.read + n.short + n.long;
        const call = usage({
          ...{ input_tokens: input, cache_read_tokens: n.read, output_tokens: n.output },
          cache_write_tokens: { '5m': n.short, '1h': n.long },
        });
        const names = ['plain', 'read', 'short', 'long', 'output'] as const;
        const millionths = names.reduce((sum, name) => sum + BigInt(n[name]) * BigInt(p[name].millionths), 0n);
        // Dollars × 10⁻¹², so a nano-dollar has a thousand.
        const [whole, rest] = [millionths / 1000n, millionths % 1000n];
        const up = rest > 500n || (rest === 500n && whole % 2n === 1n);
        const cost = costOf(entry, call);
        const most = mostCost(entry, { input: input + slack, output: n.output + slack });
        expect(cost).to.equal(up ? whole + 1n : whole);
        expect((most ?? -1n) >= (cost ?? 0n)).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is bounded by the dearest tier, and not at all when the output has no price there', () => {
    const dear = { when: { service_tier: 'priority' }, per_mtok: { input: '6', output: '30' } };
    const entry = priced({ input: '3', output: '15' }, { tiers: [dear] });
    expect(mostCost(entry, { input: 10, output: 10 })).to.equal(360_000n);
    expect(mostCost(priced({ input: '3' }), { input: 10, output: 10 })).to.equal(undefined);
    expect(mostCost(priced({ input: '3' }), { input: 10, output: 0 })).to.equal(30_000n);
  });
});
