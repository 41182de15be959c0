import { expect } from 'chai';
import { said, startBed, type Bed } from './bed.ts';

const messages = [{ role: 'user', content: 'hi' }];
const plain = { model: 'fast', max_tokens: 40, messages };
const doors = [
  {
    name: 'chat completions',
    path: '/v1/chat/completions',
    names: (what: string) => (one: string) => `x-ratelimit-${one}-${what}`,
  },
  {
    name: 'messages',
    path: '/v1/messages',
    names: (what: string) => (one: string) => `anthropic-ratelimit-${what}-${one}`,
  },
] as const;
const all = /^(x-ratelimit|anthropic-ratelimit)-/;
const rateNames = (headers: Headers): readonly string[] => [...headers.keys()].filter((name) => all.test(name)).sort();

describe('the rates at the doors of models', () => {
  let bed: Bed | undefined;
  afterEach(async () => bed?.platform.stop());
  const start = async (platform: object, orbiset: object = {}): Promise<Bed> => {
    const data = { 'orbisets/team.json': { id: 'team', tenant: 'default', orbs: ['*'], ...orbiset } };
    bed = await startBed({ platform: { providers: { vendor: { adapter: 'llm/script' } }, ...platform }, data });
    bed.answer(async (_, { emit }) => {
      await emit?.({ type: 'text', text: 'hello' });
      return said('hello');
    });
    return bed;
  };

  it('are in no header where no limit is configured', async () => {
    const { post } = await start({});
    for (const { path } of doors)
      for (const stream of [false, true])
        expect(rateNames((await post(path, { ...plain, stream })).headers)).to.deep.equal([]);
  });

  it('of requests are told by each door in its own form, and when there are none left', async () => {
    const { post } = await start({}, { limits: { rate: { count: 4, window_s: 60 } } });
    let left = 4;
    for (const { path, names } of doors)
      for (const stream of [false, true]) {
        const { headers, status } = await post(`/orbisets/team${path}`, { ...plain, stream });
        const name = names('requests');
        expect(status).to.equal(200);
        expect([headers.get(name('limit')), headers.get(name('remaining'))]).to.deep.equal(['4', String((left -= 1))]);
        expect(headers.get(name('reset'))).to.match(path.includes('chat') ? /^(\d+s|1m0s)$/ : /^\d{4}-.*:\d\dZ$/);
        expect(headers.has('ratelimit')).to.equal(true);
        expect(rateNames(headers)).to.have.length(3);
      }
    for (const { path, names } of doors) {
      const { headers, status } = await post(`/orbisets/team${path}`, plain);
      expect([status, headers.get(names('requests')('remaining'))]).to.deep.equal([429, '0']);
      expect(headers.get('x-should-retry')).to.equal('true');
      expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
    }
  });

  it('of tokens are told where a budget limits those of a minute', async () => {
    const budgets = [
      { scope: 'key', per: 'minute', tokens: 1_000_000 },
      { scope: 'tenant', per: 'day', tokens: 500_000 },
    ];
    const { post, platform } = await start({ plugins: { budgets: { config: { budgets } } } });
    for (const { path, names } of doors)
      for (const stream of [false, true]) {
        // Else a new minute could begin within a call.
        const key = await platform.key({ scopes: ['orbs:execute'] });
        const { headers, text } = await post(path, { ...plain, stream }, { key });
        const name = names('tokens');
        expect(rateNames(headers), text).to.have.length(3);
        expect(headers.get(name('limit'))).to.equal('1000000');
        // What is reserved while it streams, and the 15 tokens of the answer after it, unless the minute was over.
        const remaining = Number(headers.get(name('remaining')));
        expect(remaining).to.be.within(999_900, 1_000_000);
        if (!stream) expect(remaining).to.be.oneOf([1_000_000, 999_985]);
      }
  });

  it('of tokens are told with the refusal, too', async () => {
    const budgets = [{ scope: 'key', per: 'minute', tokens: 10 }];
    const { post } = await start({ plugins: { budgets: { config: { budgets } } } });
    for (const { path, names } of doors)
      for (const stream of [false, true]) {
        const { headers, status } = await post(path, { ...plain, stream });
        expect([
          status,
          headers.get(names('tokens')('limit')),
          headers.get(names('tokens')('remaining')),
        ]).to.deep.equal([...[429, '10', '10']]);
      }
  });

  it('of tokens are none where the plugin of budgets is left out', async () => {
    const { post } = await start({ plugins: { budgets: false } });
    expect(rateNames((await post('/v1/messages', plain)).headers)).to.deep.equal([]);
  });
});
