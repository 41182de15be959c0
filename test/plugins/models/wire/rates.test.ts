import { expect } from 'chai';
import { rateHeaders, requestRate } from '../../../../plugins/models/wire/rates.ts';

describe('the headers of rates', () => {
  for (const [seconds, text] of [
    [0, '0s'],
    [1, '1s'],
    [60, '1m0s'],
    [360, '6m0s'],
    [3661, '1h1m1s'],
  ] as const)
    it(`write ${seconds} seconds as OpenAI does`, () => {
      const headers = rateHeaders('openai', 'tokens', { limit: 9, remaining: 0, reset_s: seconds });
      expect(headers).to.deep.equal({
        'x-ratelimit-limit-tokens': '9',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': text,
      });
    });

  it('write a time as Anthropic does', () => {
    const now = Date.UTC(2026, 10, 29);
    expect(rateHeaders('anthropic', 'requests', { limit: 9, remaining: 3, reset_s: 61 }, now)).to.deep.equal({
      'anthropic-ratelimit-requests-limit': '9',
      'anthropic-ratelimit-requests-remaining': '3',
      'anthropic-ratelimit-requests-reset': '2026-11-29T00:01:01Z',
    });
  });

  const key = { policy: '"key";q=10;w=60', rest: '"key";r=4;t=30' };
  const orbiset = { policy: '"orbiset";q=5;w=60', rest: '"orbiset";r=3;t=20' };
  it('tell the tightest limit of several', () => {
    const both = {
      'RateLimit-Policy': `${key.policy}, ${orbiset.policy}`,
      RateLimit: `${key.rest}, ${orbiset.rest}`,
    };
    expect(requestRate(both)).to.deep.equal({ limit: 5, remaining: 3, reset_s: 20 });
    expect(requestRate({ 'RateLimit-Policy': key.policy, RateLimit: key.rest })).to.deep.equal({
      ...{ limit: 10, remaining: 4, reset_s: 30 },
    });
    for (const none of [{}, { RateLimit: '' }, { RateLimit: 'no list' }]) expect(requestRate(none)).to.equal(undefined);
  });
});
