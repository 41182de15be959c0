import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import {
  bodyOf,
  gatewayData,
  gatewayEnv,
  modelOf,
  mostNanos,
  nanosOf,
  pathOf,
  providerOf,
  type Api,
} from './gateway.ts';
import { budgetOf, byModel, costOf, reading, recordsOf, type RecordedCall } from './records.ts';
import { startBillingVendor, type BillingVendor } from './vendor.ts';

const apis: readonly Api[] = ['openai', 'anthropic'];
const moments = ['before the first byte', 'after the head', 'within the stream', 'without a stream'] as const;
const manners = ['abort', 'drain'] as const;

/** One caller that leaves. */
interface Case {
  readonly number: number;
  readonly door: Api;
  readonly adapter: Api;
  readonly moment: (typeof moments)[number];
  readonly manner: (typeof manners)[number];
}

const cases = manners
  .flatMap((manner) => moments.map((moment) => ({ manner, moment })))
  .flatMap((one) => apis.map((door) => ({ ...one, door })))
  .flatMap((one) => apis.map((adapter) => ({ ...one, adapter })))
  .map((one, number): Case => ({ ...one, number }));

describe('callers that leave', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let vendor: BillingVendor;
  let records: ReadonlyMap<string, RecordedCall>;
  const ends = cases.map(() => Promise.withResolvers<void>());

  before(async () => {
    vendor = await startBillingVendor('vendor');
    vendor.plan = ({ model }) => {
      const number = Number(model.slice(2));
      const after = cases[number]?.moment === 'within the stream' ? 6 : 0;
      return { hold: { after, until: ends[number]?.promise ?? Promise.resolve() } };
    };
    const names = apis.flatMap((api) => manners.map((manner) => ({ api, manner, name: `${api}-${manner}` })));
    const providers = names.map(({ api, manner, name }) => [
      name,
      providerOf(api, vendor.url, { on_caller_gone: manner }),
    ]);
    const orbisets = names.map(({ name }) => [
      `orbisets/${name}.json`,
      { id: name, tenant: 'default', orbs: ['*'], providers: [name] },
    ]);
    platform = await startPlatform({
      env: gatewayEnv,
      platform: {
        providers: Object.fromEntries(providers) as object,
        bindings: { 'llm.chat@1.0.0': names.map(({ name }) => name) },
        plugins: {
          budgets: { config: { budgets: [{ scope: 'tenant', per: 'month', nanos: 1e12 }] } },
          models: { config: { keepalive_ms: 1000 } },
        },
      },
      data: { ...gatewayData(cases.length), ...(Object.fromEntries(orbisets) as Record<string, object>) },
    });
    // Who leaves first is noticed first: when the others' calls are closed, those of drains have no caller any more.
    for (const manner of ['drain', 'abort']) await Promise.all(cases.filter((one) => one.manner === manner).map(leave));
    for (const { manner, number } of cases)
      if (manner === 'abort')
        await until(
          () => callOf(number),
          (call) => call?.ended === 'left',
          `a close: ${number}`,
        );
    for (const end of ends) end.resolve();
    for (const { number } of cases)
      await until(
        () => callOf(number),
        (call) => call?.ended !== 'open',
        `${number}`,
      );
    const get = reading(platform.url, platform.adminKey);
    await until(
      () => budgetOf(get),
      ({ reserved }) => reserved === 0,
      'the end of all reservations',
    );
    records = byModel(await recordsOf(get));
  });
  after(async () => {
    await platform?.stop();
    await vendor?.close();
  });

  const callOf = (number: number) => vendor.of(modelOf(number))[0];

  /** Asks, and leaves at the moment of the case. */
  async function leave({ adapter, door, manner, moment, number }: Case): Promise<void> {
    const abort = new AbortController();
    const got = { text: '' };
    const asked = fetch(`${platform.url}/orbisets/${adapter}-${manner}${pathOf(door)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(door, number, { stream: moment !== 'without a stream' })),
      signal: abort.signal,
    }).then(async ({ body }) => {
      for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) got.text += chunk;
    });
    const isOver = asked.catch(() => undefined);
    await until(
      () => callOf(number),
      (call) => call !== undefined,
      'the call',
    );
    if (moment === 'after the head')
      await until(
        () => got.text,
        (text) => text !== '',
        'the head',
      );
    if (moment === 'within the stream')
      await until(
        () => got.text,
        (text) => text.includes('Hm'),
        'the stream',
      );
    abort.abort();
    await isOver;
  }

  for (const { adapter, door, manner, moment, number } of cases)
    it(`${moment}, ${door} door, ${adapter} vendor: the call is ${manner === 'abort' ? 'closed' : 'drained'}`, () => {
      const [call, ...others] = vendor.of(modelOf(number));
      expect(others).to.deep.equal([]);
      expect(call?.ended).to.equal(manner === 'abort' ? 'left' : 'whole');
      const { facts, reason, status } = records.get(modelOf(number)) ?? expect.fail('no receipt');
      expect([status, reason]).to.deep.equal(['cancelled', 'caller_gone']);
      const bill = { amount_nanos: nanosOf(call?.answer.usage ?? expect.fail()), currency: 'USD' };
      expect(facts.cost).to.deep.equal(manner === 'abort' ? undefined : bill);
      if (manner === 'drain') expect(facts.usage).to.deep.equal({ ...call?.answer.usage, source: 'vendor' });
      else expect(facts.usage?.source ?? 'absent').to.be.oneOf(['absent', 'partial']);
    });

  it('cost what was drained, and the most of what was closed is assumed', async () => {
    const { assumed, spent } = await budgetOf(reading(platform.url, platform.adminKey));
    const aborted = cases.filter(({ manner }) => manner === 'abort').length;
    expect([spent, assumed]).to.deep.equal([costOf(records.values()), aborted * mostNanos]);
  });
});
