import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withCopies } from '../../../helpers/copies.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import { askAt, type Heard } from './clients.ts';
import { gatewayData, gatewayEnv, modelOf, orbisets, providerOf, type Api } from './gateway.ts';
import { byModel, reading, recordsOf } from './records.ts';
import { startBillingVendor, type BillingVendor } from './vendor.ts';

const apis: readonly Api[] = ['openai', 'anthropic'];
const each = 8;

// The second is a standby, which serves the Orbiset that allows no other.
const settings = (url: string, idle_timeout_ms: number) => ({
  swap_drain_ms: 0,
  providers: Object.fromEntries(apis.map((api) => [api, providerOf(api, url, { idle_timeout_ms })])) as object,
  bindings: { 'llm.chat@1.0.0': apis },
});

describe('a reload that changes the settings of providers under streams', () => {
  let platform: TestPlatform;
  let vendor: BillingVendor;
  before(async () => {
    vendor = await startBillingVendor('vendor');
    const data = { ...gatewayData(4 * each), ...orbisets() };
    platform = await startPlatform({ env: gatewayEnv, platform: settings(vendor.url, 60_000), data });
  });
  after(async () => {
    await platform?.stop();
    await vendor?.close();
  });

  it('cuts none: each ends at the generation at which it began', async () => {
    const end = Promise.withResolvers<void>();
    vendor.plan = () => ({ hold: { after: 6, until: end.promise } });
    const ask = async (number: number): Promise<Heard> => {
      const api = apis[number % 2] ?? 'openai';
      const asking = { base: `${platform.url}/orbisets/${api}`, key: platform.adminKey, stream: true };
      return askAt(api, number, asking);
    };
    const numbers = Array.from({ length: 2 * each }, (_, number) => number);
    const early = numbers.map(ask);
    await until(
      () => vendor.calls.filter(({ events }) => events === 6).length,
      (begun) => begun === numbers.length,
    );
    const file = withCopies(settings(vendor.url, 50_000));
    writeFileSync(join(platform.home, 'data/platform.json'), JSON.stringify(file));
    const reload = await platform.call('POST', '/config/reload');
    expect(reload.status, JSON.stringify(reload.body)).to.equal(200);
    const changed = (reload.body.providers as { provider: string }[]).map(({ provider }) => provider);
    expect(changed).to.include.members(apis);
    const late = numbers.map((number) => ask(numbers.length + number));
    await until(
      () => vendor.calls.filter(({ events }) => events === 6).length,
      (begun) => begun === 2 * numbers.length,
    );
    end.resolve();
    for (const { raised } of await Promise.all([...early, ...late])) expect(raised).to.equal(undefined);
    const records = byModel(await recordsOf(reading(platform.url, platform.adminKey)));
    const generationOf = (number: number): number | undefined =>
      records.get(modelOf(number))?.facts.attempts[0]?.generation;
    for (const number of numbers) {
      expect(vendor.of(modelOf(number))).to.have.length(1);
      expect(generationOf(number)).to.be.lessThan(generationOf(numbers.length + number) ?? 0);
    }
  });
});
