import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { priceFor, readPrices } from '../../../../plugins/budgets/prices/file.ts';
import { priced, priceText } from './priced.ts';

const read = (text: string) => {
  const faults: string[] = [];
  return { prices: readPrices(Buffer.from(text), 'data/prices.json', faults), faults };
};

describe('the price file', () => {
  it('is named by the digest of its bytes', () => {
    const text = `${priceText([priced({ input: '3' })])}\n`;
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    expect(read(text).prices?.digest).to.equal(digest);
  });

  const refused: readonly (readonly [title: string, text: string, fault: string])[] = [
    ['no JSON', '{', 'data/prices.json is not valid JSON'],
    ['a price that is a number', priceText([priced({ input: 3 as never })]), '/prices/0/per_mtok/input'],
    ['an exponent', priceText([priced({ input: '3e-1' })]), '/prices/0/per_mtok/input'],
    ['an unknown member', priceText([{ ...priced({ input: '3' }), per_image: '1' }]), '/prices/0'],
    [
      'an unknown condition',
      priceText([
        priced({ input: '3' }, { tiers: [{ when: { weekday: 'sunday' } as never, per_mtok: { input: '1' } }] }),
      ]),
      '/prices/0/tiers/0/when',
    ],
    [
      'a tier without a condition',
      priceText([priced({ input: '3' }, { tiers: [{ when: {}, per_mtok: { input: '1' } }] })]),
      '/prices/0/tiers/0/when',
    ],
    ['another currency', priceText([priced({ input: '3' }, { currency: 'EUR' as never })]), '/prices/0/currency'],
    [
      'two prices from one day',
      priceText([priced({ input: '3' }), priced({ input: '4' })]),
      'two prices from 2026-01-01',
    ],
    ['another version', '{"version":2,"prices":[]}', '/version'],
  ];
  for (const [title, text, fault] of refused)
    it(`is refused with ${title}`, () => {
      const { faults, prices } = read(text);
      expect(prices).to.equal(undefined);
      expect(faults.join('\n')).to.include(fault);
    });

  it('gives the newest prices that hold, those of the provider first', () => {
    const { prices } = read(
      priceText([
        priced({ input: '1' }),
        priced({ input: '2' }, { valid_from: '2026-06-01' }),
        priced({ input: '3' }, { valid_from: '2027-01-01' }),
        priced({ input: '4' }, { valid_from: '2026-02-01', provider: 'mine' }),
      ]),
    );
    const input = (day: string, provider = 'other', model = 'claude') =>
      prices && priceFor(prices, { adapter: 'llm/anthropic', provider, model }, day)?.per_mtok.input;
    expect([input('2025-12-31'), input('2026-05-31'), input('2026-06-01')]).to.deep.equal([undefined, '1', '2']);
    expect([input('2026-12-31', 'mine'), input('2026-01-15', 'mine'), input('2026-12-31', 'x', 'y')]).to.deep.equal([
      ...['4', '1', undefined],
    ]);
  });
});
