import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import { askAt, type Heard } from './clients.ts';
import { gatewayData, gatewayEnv, modelOf, providerOf } from './gateway.ts';
import { byModel, reading, recordsOf, type RecordedCall } from './records.ts';
import { startBillingVendor, type BillingVendor } from './vendor.ts';

const orb = 'llm.chat@1.0.0';
const count = 32;
const [early, meanwhile, late] = [0, 1, 2].map((part) => Array.from({ length: count }, (_, at) => part * count + at));

describe(`a swap of the provider under ${count} streams`, function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let old: BillingVendor;
  let next: BillingVendor;
  const heard: Heard[] = [];
  let records: ReadonlyMap<string, RecordedCall>;
  let generations: readonly [number, number];

  const ask = (numbers: readonly number[] = []): Promise<unknown> =>
    Promise.all(
      numbers.map(async (number) => {
        const asking = { base: platform.url, key: platform.adminKey, stream: true };
        heard[number] = await askAt(number % 2 === 0 ? 'openai' : 'anthropic', number, asking);
      }),
    );
  const status = async () => (await platform.call('GET', `/providers/${orb}/status`)).body;

  before(async () => {
    [old, next] = [await startBillingVendor('old'), await startBillingVendor('next')];
    platform = await startPlatform({
      env: gatewayEnv,
      platform: {
        // A metered run goes on for as long as its own time limit.
        swap_drain_ms: 0,
        providers: { old: providerOf('openai', old.url), next: providerOf('anthropic', next.url) },
        bindings: { [orb]: ['old'] },
      },
      data: gatewayData(3 * count),
    });
    const end = Promise.withResolvers<void>();
    old.plan = () => ({ hold: { after: 6, until: end.promise } });
    const asked = ask(early);
    await until(
      () => old.calls,
      (calls) => calls.length === count && calls.every(({ events }) => events === 6),
    );
    const first = (await status()).generation as number;
    const asking = ask(meanwhile);
    const swap = await platform.call('POST', `/providers/${orb}/swap`, { provider: 'next' });
    expect(swap.status, JSON.stringify(swap.body)).to.equal(200);
    generations = [first, swap.body.generation as number];
    await ask(late);
    expect((await status()).swap_status).to.equal('draining');
    end.resolve();
    await Promise.all([asked, asking]);
    await until(status, ({ swap_status }) => swap_status === 'stable');
    records = byModel(await recordsOf(reading(platform.url, platform.adminKey)));
  });
  after(async () => {
    await platform?.stop();
    await Promise.all([old, next].map((vendor) => vendor?.close()));
  });

  it('cuts none and doubles none: each client has the whole answer of one vendor, which was asked once', () => {
    for (const number of [early, meanwhile, late].flatMap((numbers) => numbers ?? [])) {
      const model = modelOf(number);
      const calls = [...old.of(model), ...next.of(model)];
      expect(calls, model).to.have.length(1);
      expect(heard[number]?.raised, model).to.equal(undefined);
      expect(heard[number]?.content, model).to.equal(calls[0]?.answer.texts.join(''));
      expect(records.get(model)?.status, model).to.equal('completed');
    }
    expect(records.size).to.equal(3 * count);
  });

  it('is told by the receipts: the generation, the provider and the model that answered', () => {
    const [before, since] = generations;
    expect(since).to.be.greaterThan(before);
    const served = (number: number): string => (old.of(modelOf(number)).length > 0 ? 'old' : 'next');
    for (const number of [early, meanwhile, late].flatMap((numbers) => numbers ?? [])) {
      const { attempts, model, provider } = records.get(modelOf(number))?.facts ?? expect.fail(modelOf(number));
      const [name, generation] = served(number) === 'old' ? ['old', before] : ['next', since];
      expect(attempts.map((one) => [one.provider, one.generation])).to.deep.equal([[name, generation]]);
      expect(provider).to.include({ name, generation });
      expect(model).to.deep.equal({
        asked: modelOf(number),
        sent: modelOf(number),
        answered: `${modelOf(number)}-2026`,
      });
    }
    expect(early?.every((number) => served(number) === 'old')).to.equal(true);
    expect(late?.every((number) => served(number) === 'next')).to.equal(true);
  });
});
