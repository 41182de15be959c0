import { expect } from 'chai';
import { chatOrb } from '../../../plugins/models/scope.ts';
import { priced } from '../budgets/prices/priced.ts';
import { said, startBed, usage, type Bed } from './bed.ts';

const chat = { model: 'fast', messages: [{ role: 'user', content: 'hello' }], max_tokens: 75 };
/** 4 bytes of the role, 5 of the text, 16 of the message, and the output. */
const tokens = 25 + 75;
const nanos = 25 * 3000 + 75 * 15_000;
const cost = usage.input_tokens * 3000 + usage.output_tokens * 15_000;
const data = {
  'prices.json': { version: 1, prices: [priced({ input: '3', output: '15' }, { adapter: 'llm/script', model: 'v' })] },
};
const providers = { vendor: { adapter: 'llm/script', config: { models: { fast: { name: 'v' }, free: {} } } } };
const budgets = [
  { scope: 'key', per: 'day', nanos: 3_000_000 },
  { scope: 'tenant', per: 'month', tokens: 100_000 },
];

describe('what policies see of budgets', function () {
  let bed: Bed;
  const start = async (plugins: object): Promise<void> => {
    bed = await startBed({ data, platform: { providers, plugins } });
    bed.answer(async () => said('hello'));
  };
  afterEach(() => bed.platform.stop());

  const seen = async (receiptId: string) => {
    const { body } = await bed.platform.call('GET', `/receipts/${receiptId}`);
    const { decision_id } = body.statement.predicate.facts.policy;
    return (await bed.platform.call('GET', `/policies/-/decisions/${decision_id}`)).body.input.context;
  };
  const called = async (body: object = chat) => {
    const answer = await bed.post('/v1/chat/completions', body);
    expect(answer.status, answer.text).to.equal(200);
    return seen(answer.body.orb.receipt_id);
  };

  it('is what is spent of those that apply, and the most that the call can use', async () => {
    await start({ budgets: { config: { budgets } } });
    const none = { spent: 0, assumed: 0, reserved: 0 };
    const first = await called();
    expect(first.llm.ask).to.deep.equal({ tokens, nanos });
    expect(first.spend.day).to.deep.equal({ ...none, limit: 3_000_000 });
    expect([first.spend.month, first.spend.budgets.length]).to.deep.equal([undefined, 2]);
    const of = ({ spend }: typeof first, scope: string) =>
      spend.budgets.find((one: { readonly scope: string }) => one.scope === scope);
    const [month, day] = [of(first, 'tenant'), of(first, 'key')];
    expect(month).to.include({ scope: 'tenant', subject: 'default', per: 'month', unit: 'tokens', limit: 100_000 });
    expect(day).to.deep.include({ scope: 'key', per: 'day', unit: 'nanos', ...none, limit: 3_000_000 });
    const second = await called();
    expect(second.spend.day).to.deep.equal({ ...none, spent: cost, limit: 3_000_000 });
    expect(of(second, 'tenant')).to.include({ spent: 15 });
  });

  it('is what calls under way have reserved', async () => {
    await start({ budgets: { config: { budgets } } });
    const begun = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    bed.answer(async () => (begun.resolve(), await over.promise, said('late')));
    const late = called();
    await begun.promise;
    bed.answer(async () => said('hello'));
    const { spend } = await called();
    over.resolve();
    await late;
    expect(spend.day).to.include({ spent: 0, assumed: 0, reserved: nanos });
  });

  it('has no price of a model without one, and no bound of a call without one', async () => {
    await start({ budgets: { config: { budgets: [], unpriced: 'allow' } } });
    const { llm, spend } = await called({ ...chat, model: 'free' });
    expect([llm.ask, spend]).to.deep.equal([{ tokens }, { budgets: [] }]);
    const { max_tokens: _, ...open } = chat;
    expect(await called(open)).to.not.have.nested.property('llm.ask');
  });

  it('is the same for a run as any other, and absent without the plugin', async () => {
    await start({ budgets: false });
    const inputs = { model: chat.model, messages: chat.messages };
    const run = { orb_id: chatOrb, inputs };
    const { body } = await bed.platform.call('POST', '/orbisets/default/execute', run);
    const context = await seen(body.receipt.receipt_id);
    expect(context.llm).to.include({ door: 'execute', alias: 'fast' }).and.not.to.have.property('ask');
    expect(context).not.to.have.property('spend');
  });

  it('is there without the doors', async () => {
    await start({ budgets: { config: { budgets } }, models: false });
    const inputs = { model: chat.model, messages: chat.messages, max_output_tokens: 75 };
    const run = { orb_id: chatOrb, inputs };
    const { body } = await bed.platform.call('POST', '/orbisets/default/execute', run);
    const context = await seen(body.receipt.receipt_id);
    expect(context).not.to.have.property('llm');
    expect(context.spend.day).to.include({ spent: 0, limit: 3_000_000 });
  });

  it('has no exception for keys with the scope *: they are metered and refused when their budget has no room', async () => {
    await start({ budgets: { config: { budgets: [{ scope: 'key', per: 'day', tokens: tokens + 20 }] } } });
    const key = await bed.platform.key({ name: 'all', scopes: ['*'] });
    const call = () => bed.post('/v1/chat/completions', chat, { key });
    const first = await call();
    expect((await seen(first.body.orb.receipt_id)).spend.budgets[0]).to.include({ spent: 0, limit: tokens + 20 });
    await call();
    const before = bed.calls.length;
    const refused = await call();
    expect([refused.status, refused.body.error.code]).to.deep.equal([429, 'insufficient_quota']);
    expect(bed.calls.length).to.equal(before);
    const { body } = await bed.platform.call('GET', '/usage?by=key_id');
    expect(body.usage).to.have.length(1);
    expect(body.usage[0]).to.include({ calls: before });
  });
});
