import { expect } from 'chai';
import { PlatformError, type Operation } from '../../../kernel/index.ts';
import { Meter, type Ended, type MeteredCall, type MeterOptions } from '../../../plugins/budgets/meter.ts';
import { readPrices } from '../../../plugins/budgets/prices/file.ts';
import { budgetsOf, type WrittenBudgets } from '../../../plugins/budgets/settings.ts';
import type { Part, Reserving, Settling } from '../../../plugins/budgets/tables/windows.ts';
import { priced, priceText } from './prices/priced.ts';

const at = Date.parse('2026-11-28T12:00:00Z');
const configs: Readonly<Record<string, object>> = {
  one: { models: { fast: { name: 'claude', max_output_tokens: 100 }, open: 'claude' } },
  two: { models: { fast: { name: 'dear', max_output_tokens: 100 } } },
  three: { models: { fast: { name: 'unknown', max_output_tokens: 100 } } },
  plain: {},
};
const of = (...names: string[]) =>
  names.map((provider) => ({ provider, adapter: 'llm/anthropic', config: configs[provider] }));

const call: MeteredCall = {
  ...{ run_id: 'run_1', orb_id: 'llm.chat@1.0.0', orbiset_id: 'default', mode: 'live' },
  principal: { id: 'prn_1', key_id: 'key_1', tenant: 'acme' },
  inputs: { model: 'fast', messages: [{ role: 'user', content: 'hello' }] },
  providers: of('one', 'two'),
};
// 4 bytes of the role, 5 of the text, 16 of the message.
const input = 25;

const prices = readPrices(
  Buffer.from(
    priceText([priced({ input: '3', output: '15' }), priced({ input: '6', output: '30' }, { model: 'dear' })]),
  ),
  'prices.json',
  [],
);

type Budgets = NonNullable<WrittenBudgets['budgets']>;

function meterOf(budgets: Budgets, change: Partial<MeterOptions> = {}, parts: readonly Part[] = []): Meter {
  return new Meter({
    ...{ budgets: budgetsOf({ budgets }, []), prices, unpriced: 'refuse', clock: { now: () => at } },
    ...{ reads: { reservation: () => parts }, ...change },
  });
}

function refusal(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof PlatformError ? error.code : String(error);
  }
}

const asksOf = (operations: readonly Operation[]) =>
  operations
    .flatMap(({ args }) => (args as Reserving).asks)
    .map(({ scope, subject, ask, tenant }) => [scope, subject, ask, tenant]);

describe('the meter reserves', () => {
  it('the most that a call may use with any of its candidates, of each budget that applies', () => {
    const meter = meterOf([
      { scope: 'key', per: 'minute', tokens: 1000 },
      { scope: 'tenant', per: 'month', nanos: 1e9 },
      { scope: 'provider', per: 'day', nanos: 1e9 },
      { scope: 'model', of: 'slow', per: 'day', nanos: 1 },
    ]);
    expect(asksOf(meter.reserve(call))).to.deep.equal([
      ['key', 'key_1', input + 100, 'acme'],
      ['provider', 'one', input * 3000 + 100 * 15_000, ''],
      ['provider', 'two', input * 6000 + 100 * 30_000, ''],
      ['tenant', 'acme', input * 6000 + 100 * 30_000, 'acme'],
    ]);
  });

  it('nothing without a budget that applies, and nothing for the sandbox', () => {
    expect(meterOf([]).reserve(call)).to.deep.equal([]);
    expect(meterOf([{ scope: 'model', of: 'slow', per: 'day', tokens: 1 }]).reserve(call)).to.deep.equal([]);
    const all = meterOf([{ scope: 'key', per: 'day', tokens: 1 }]);
    expect(all.reserve({ ...call, mode: 'sandbox' })).to.deep.equal([]);
  });

  it('refuses a call whose output nothing bounds, but only when a budget applies', () => {
    const open = { ...call, inputs: { ...call.inputs, model: 'open' } };
    const meter = meterOf([{ scope: 'key', per: 'day', tokens: 1000 }]);
    expect(refusal(() => meter.reserve(open))).to.equal('call_unbounded');
    expect(refusal(() => meterOf([]).reserve(open))).to.equal(undefined);
    const named = { ...open, inputs: { ...open.inputs, max_output_tokens: 3 } };
    expect(asksOf(meter.reserve(named))).to.deep.equal([['key', 'key_1', input + 3, 'acme']]);
  });

  it('refuses a model without a price where a budget counts money, unless that is allowed', () => {
    const unknown = { ...call, providers: of('one', 'three') };
    const money: Budgets = [{ scope: 'key', per: 'day', nanos: 1e9 }];
    expect(refusal(() => meterOf(money).reserve(unknown))).to.equal('model_unpriced');
    expect(refusal(() => meterOf(money, { prices: undefined }).reserve(call))).to.equal('model_unpriced');
    expect(refusal(() => meterOf([{ scope: 'key', per: 'day', tokens: 1e9 }]).reserve(unknown))).to.equal(undefined);
    const allowing = meterOf(money, { unpriced: 'allow' });
    expect(asksOf(allowing.reserve(unknown))).to.deep.equal([['key', 'key_1', input * 3000 + 1_500_000, 'acme']]);
  });
});

describe('the meter looks at providers', () => {
  const money: Budgets = [{ scope: 'provider', per: 'day', tokens: 1000 }];
  const subjects = (model: string, ...names: string[]) =>
    asksOf(
      meterOf(money).reserve({
        ...{ ...call, providers: of(...names) },
        inputs: { ...call.inputs, model, max_output_tokens: 1 },
      }),
    ).map(([, subject]) => subject);

  it('passes over those that do not name the model, and reserves nothing without one that does', () => {
    expect(subjects('fast', 'one', 'two')).to.deep.equal(['one', 'two']);
    expect(subjects('open', 'one', 'two')).to.deep.equal(['one']);
    expect(subjects('toString', 'one', 'two')).to.deep.equal([]);
  });

  it('takes the alias for the model of one that names no models', () => {
    expect(subjects('claude', 'plain', 'two')).to.deep.equal(['plain']);
  });
});

describe('the meter settles', () => {
  const id = (scope: string, subject: string, unit: string): string => `1764374400000 ${scope} ${subject} day ${unit}`;
  const parts: readonly Part[] = [
    [id('key', 'key_1', 'tokens'), 125],
    [id('tenant', 'acme', 'nanos'), 3_150_000],
    [id('provider', 'one', 'tokens'), 125],
    [id('provider', 'two', 'tokens'), 125],
  ];
  const usage = { input_tokens: 9, output_tokens: 4, source: 'vendor' };
  const answered: Ended = { provider: 'one', billed: 'yes', outputs: { usage, model: 'claude-1' } };
  const model = { asked: 'fast', sent: 'claude', answered: 'claude-1' };

  async function settled(ended: Ended, run = call) {
    const { facts, operations } = await meterOf([], {}, parts).settle(run, ended);
    const settle = operations.find(({ name }) => name === 'settle')?.args as { parts: readonly Settling[] } | undefined;
    const use = operations.find(({ name }) => name === 'use')?.args;
    return { facts, use, counts: settle?.parts.map(({ spent, assumed }) => [spent, assumed]) };
  }
  const cost = 9 * 3000 + 4 * 15_000;

  it('what was used and cost, and frees the budgets of other providers', async () => {
    const { counts, facts, use } = await settled(answered);
    expect(counts).to.deep.equal([
      [13, 0],
      [cost, 0],
      [13, 0],
      [0, 0],
    ]);
    expect(facts).to.deep.equal({
      ...{ usage, cost: { amount_nanos: cost, currency: 'USD' }, prices_digest: prices?.digest, model },
    });
    expect(use).to.include({ day: '2026-11-28', model: 'fast', provider: 'one', calls: 1, cost_nanos: cost });
    expect(use).to.include({ unknown_calls: 0, unpriced_calls: 0, input_tokens: 9, output_tokens: 4 });
  });

  it('an embedding by its input alone: its vendor tells no output', async () => {
    const embedded = { ...call, inputs: { model: 'fast', input: 'hello' } };
    const told = { input_tokens: 9, source: 'vendor' };
    const { counts, facts } = await settled({ ...answered, outputs: { usage: told } }, embedded);
    expect(counts?.slice(0, 2)).to.deep.equal([
      [9, 0],
      [9 * 3000, 0],
    ]);
    expect(facts.usage).to.deep.equal(told);
  });

  const all = parts.map(([, ask]) => [0, ask]);
  const none = parts.map(() => [0, 0]);
  const rows: readonly (readonly [title: string, ended: Ended, counts: readonly (readonly number[])[]])[] = [
    ['frees what was not billed', { provider: 'one', billed: 'no' }, none],
    ['assumes all of what may have been billed', { provider: 'one', billed: 'unknown' }, all],
    [
      'assumes all when the usage is that before a cut',
      { ...answered, outputs: { usage: { ...usage, source: 'partial' } } },
      [...all.slice(0, 3), [0, 0]],
    ],
    ['assumes all of a call that left no answer, as after a crash', { billed: 'unknown' }, all],
    [
      'counts tokens where there is no price',
      { ...answered, provider: 'two', outputs: { usage: { ...usage, cache_read_tokens: 2 } } },
      [
        [13, 0],
        [0, 3_150_000],
        [0, 0],
        [13, 0],
      ],
    ],
    [
      'takes a reported zero for zero',
      { ...answered, outputs: { usage: { input_tokens: 0, output_tokens: 0, source: 'vendor' } } },
      none,
    ],
  ];
  for (const [title, ended, counts] of rows)
    it(title, async () => expect((await settled(ended)).counts).to.deep.equal(counts));

  it('says no cost but the usage when a price is missing, and counts the call as unpriced', async () => {
    const cached = { ...usage, cache_read_tokens: 2 };
    const { facts, use } = await settled({ ...answered, outputs: { usage: cached, model: 'claude-1' } });
    expect(facts).to.deep.equal({ usage: cached, model });
    expect(use).to.include({ unpriced_calls: 1, unknown_calls: 0, cache_read_tokens: 2, cost_nanos: 0 });
  });

  it('says no cost of a call with audio, nor in the sandbox, which is not counted as usage either', async () => {
    const audio = { role: 'user', content: [{ type: 'audio', format: 'wav', data_base64: '' }] };
    const heard = await settled(answered, { ...call, inputs: { model: 'fast', messages: [audio] } });
    expect(heard.facts).to.deep.equal({ usage, model });
    const sandbox = await settled(answered, { ...call, mode: 'sandbox' });
    expect(sandbox).to.deep.equal({ facts: { usage, model }, use: undefined, counts: undefined });
  });

  it('says the last counts of an answer that broke off, and no cost', async () => {
    const partial = { type: 'usage', input_tokens: 9, source: 'vendor' };
    const { counts, facts, use } = await settled({ provider: 'one', billed: 'unknown', partial });
    expect(facts).to.deep.equal({
      ...{ usage: { input_tokens: 9, source: 'partial' }, model: { asked: 'fast', sent: 'claude' } },
    });
    expect(counts).to.deep.equal(all);
    expect(use).to.include({ calls: 1, unknown_calls: 1, unpriced_calls: 1, input_tokens: 9, cost_nanos: 0 });
  });

  it('says neither cost nor the name at the provider after a crash, when its configuration is not known', async () => {
    const providers = [{ provider: 'one', adapter: 'llm/anthropic', config: undefined }];
    const ended: Ended = { provider: 'one', billed: 'yes', outputs: { usage, model: 'claude-1' } };
    const { facts } = await settled(ended, { ...call, providers });
    expect(facts).to.deep.equal({ usage, model: { asked: 'fast', answered: 'claude-1' } });
  });

  it('says no name that a vendor answers if it is a text', async () => {
    for (const model of ['you asked: hello', 'x'.repeat(257), 'Plzeň', ''])
      expect((await settled({ provider: 'one', billed: 'yes', outputs: { usage, model } })).facts.model).to.deep.equal({
        ...{ asked: 'fast', sent: 'claude' },
      });
  });

  it('counts no usage of what was not billed', async () => {
    expect((await settled({ provider: 'one', billed: 'no' })).use).to.equal(undefined);
    expect((await settled({ billed: 'unknown' })).use).to.include({ provider: '-', calls: 1, unknown_calls: 1 });
  });
});
