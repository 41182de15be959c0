import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { defineCapability, defineProvider, ProviderError } from '../../../kernel/adapter.ts';
import { recordOrb } from '../../helpers/recorder.ts';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { priced } from './prices/priced.ts';

const orb = 'test.ask@1.0.0';
const usage = { input_tokens: 9, output_tokens: 4, source: 'vendor' };
/** 4 bytes of the role, 5 of the text, 16 of the message, and the output. */
const ask = 25 + 75;

const prices = {
  version: 1,
  prices: [priced({ input: '3', output: '15' }, { adapter: 'chat/double', model: 'claude' })],
};
const digest = `sha256:${createHash('sha256').update(JSON.stringify(prices)).digest('hex')}`;

/** What the double does with a call, by its text. */
type Behaviour = () => object | Promise<object>;

describe('metered runs with budgets', function () {
  let platform: TestPlatform;
  let behaviour: Behaviour;
  let calls = 0;

  const adapter = defineProvider({
    name: 'double',
    capability: defineCapability({ name: 'chat', title: 'Chat' }),
    config: { type: 'object', properties: { models: { type: 'object' } } } as const,
    open: () => ({
      execute: async () => {
        calls += 1;
        return (await behaviour()) as Record<string, unknown>;
      },
    }),
  });

  const start = async (config: object): Promise<void> => {
    platform = await startPlatform({
      adapters: [adapter],
      platform: {
        plugins: { budgets: { config } },
        providers: {
          vendor: {
            adapter: 'chat/double',
            config: {
              models: {
                fast: { name: 'claude', max_output_tokens: 75 },
                open: 'claude',
                free: { name: 'x', max_output_tokens: 1 },
              },
            },
          },
        },
      },
      data: {
        'prices.json': prices,
        [`orbs/${orb}.json`]: recordOrb({
          ...{ orb_id: orb, capability: 'chat', effect: 'none', action_class: 'read', metered: true },
          ...{ inputs_schema: { type: 'object' }, outputs_schema: { type: 'object' } },
        }),
      },
    });
    calls = 0;
    behaviour = () => ({ usage, model: 'claude-1' });
  };
  afterEach(() => platform?.stop());

  const execute = (model = 'fast') =>
    platform.call('POST', '/orbisets/default/execute', {
      ...{ orb_id: orb, inputs: { model, messages: [{ role: 'user', content: 'hello' }] } },
    });
  const budgets = async () => {
    const { body } = await platform.call('GET', '/budgets');
    return (body.budgets as { spent: number; assumed: number; reserved: number; unit: string }[]).map(
      ({ assumed, reserved, spent, unit }) => ({ unit, spent, assumed, reserved }),
    );
  };
  const perDay = (tokens: number) => ({ budgets: [{ scope: 'key', per: 'day', tokens }] });

  it('have usage, cost and the digest of the prices in their receipt, and in the budget what was spent', async () => {
    await start({ budgets: [...perDay(1000).budgets, { scope: 'model', per: 'month', nanos: 1e9 }] });
    const { body, status } = await execute();
    expect(status, JSON.stringify(body)).to.equal(200);
    const receipt = await platform.call('GET', `/receipts/${String(body.receipt.receipt_id)}`);
    const { cost, model, prices_digest, usage: told } = receipt.body.statement.predicate.facts;
    const nanos = 9 * 3000 + 4 * 15_000;
    expect({ cost, model, prices_digest, told }).to.deep.equal({
      ...{ cost: { amount_nanos: nanos, currency: 'USD' }, prices_digest: digest, told: usage },
      model: { asked: 'fast', sent: 'claude', answered: 'claude-1' },
    });
    expect(await budgets()).to.deep.equal([
      { unit: 'nanos', spent: nanos, assumed: 0, reserved: 0 },
      { unit: 'tokens', spent: 13, assumed: 0, reserved: 0 },
    ]);
    const { body: sums } = await platform.call('GET', '/usage?by=model,provider');
    expect(sums.usage).to.have.length(1);
    expect(sums.usage[0]).to.include({
      model: 'fast',
      provider: 'vendor',
      calls: 1,
      cost_nanos: nanos,
      input_tokens: 9,
    });
  });

  it('are refused when the budget has no room: nothing is sent, and there is no run', async () => {
    await start(perDay(ask + 12));
    await execute();
    const { body, headers, status } = await execute();
    expect([status, body.code]).to.deep.equal([429, 'budget_exhausted']);
    expect(body.detail).to.match(
      /^the budget of 112 tokens per day of the key key_\w+ does not cover the 100 .* resets at \d{4}-/,
    );
    expect(Number(headers.get('retry-after'))).to.be.within(1, 86_400);
    expect(calls).to.equal(1);
    expect((await platform.call('GET', '/runs')).body.runs).to.have.length(1);
    expect(await budgets()).to.deep.equal([{ unit: 'tokens', spent: 13, assumed: 0, reserved: 0 }]);
  });

  it('free what they reserved when the vendor refused them, and assume all when their bill is unknown', async () => {
    await start(perDay(1000));
    behaviour = () => {
      throw new ProviderError('rejected', 'too long');
    };
    expect((await execute()).status).to.equal(422);
    expect(await budgets()).to.deep.equal([{ unit: 'tokens', spent: 0, assumed: 0, reserved: 0 }]);
    behaviour = () => {
      throw new ProviderError('unknown', 'cut');
    };
    expect((await execute()).status).to.be.at.least(500);
    const [{ assumed = 0, reserved, spent } = {}] = await budgets();
    expect([assumed, reserved, spent]).to.deep.equal([ask, 0, 0]);
    const { body } = await platform.call('GET', '/usage');
    expect(body.usage[0]).to.include({ calls: 1, unknown_calls: 1, unpriced_calls: 1, cost_nanos: 0 });
  });

  it('never exceed a budget when many are made at once, and the double is not asked for those refused', async () => {
    await start(perDay(10 * ask));
    behaviour = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (calls % 3 === 0) throw new ProviderError('unknown', 'cut');
      return { usage: { input_tokens: 25, output_tokens: 75, source: 'vendor' } };
    };
    const answers = await Promise.all(Array.from({ length: 60 }, () => execute()));
    const refused = answers.filter(({ body }) => body.code === 'budget_exhausted').length;
    const [{ assumed = 0, reserved, spent = 0 } = {}] = await budgets();
    expect(reserved).to.equal(0);
    expect(spent + assumed).to.equal(10 * ask);
    expect([calls, refused]).to.deep.equal([10, 50]);
  });

  it('are refused when nothing bounds them, or a model has no price', async () => {
    await start({ budgets: [{ scope: 'key', per: 'day', nanos: 1e9 }] });
    const [open, free] = [await execute('open'), await execute('free')];
    expect([open.status, open.body.code, free.status, free.body.code]).to.deep.equal([
      ...[422, 'call_unbounded', 422, 'model_unpriced'],
    ]);
    expect(calls).to.equal(0);
  });

  it('need neither budget nor price', async () => {
    await start({});
    expect((await execute('free')).status).to.equal(200);
    const { body } = await platform.call('GET', '/usage');
    expect(body.usage[0]).to.include({ model: 'free', calls: 1, unpriced_calls: 1, unknown_calls: 0 });
  });
});
