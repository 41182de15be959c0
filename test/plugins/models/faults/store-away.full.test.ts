import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServed, type Served } from '../../../helpers/served.ts';
import { until } from '../../../helpers/until.ts';
import { compareBooks } from './books.ts';
import { askAt, type Heard } from './clients.ts';
import { gatewayEnv, gatewayPlatform, writeGateway } from './gateway.ts';
import { budgetOf, reading } from './records.ts';
import { startBillingVendor, type BillingVendor } from './vendor.ts';

const count = 24;

describe('a store that takes nothing while models answer', function () {
  this.timeout(120_000);
  let vendor: BillingVendor;
  let served: Served;
  let at: { readonly url: string; readonly key: string };
  let marker: string;
  before(async () => {
    vendor = await startBillingVendor('vendor');
    const serverEnv: Record<string, string> = {};
    const preload = new URL('../../../helpers/full-disk.ts', import.meta.url);
    served = createServed(gatewayPlatform(vendor.url), { env: gatewayEnv, preload, serverEnv });
    writeGateway(served.home, 3 * count);
    marker = join(served.home, 'full');
    serverEnv['TEST_FULL_DISK'] = marker;
    at = await served.start();
  });
  after(async () => {
    await served?.remove();
    await vendor?.close();
  });

  const ask = async (heard: Map<number, Heard>, number: number): Promise<void> => {
    const [door, adapter] = [
      number % 2 === 0 ? 'openai' : 'anthropic',
      number % 4 < 2 ? 'openai' : 'anthropic',
    ] as const;
    const asking = { base: `${at.url}/orbisets/${adapter}`, key: at.key, stream: number % 3 !== 0 };
    heard.set(number, await askAt(door, number, asking));
  };
  const all = (from: number) => Array.from({ length: count }, (_, index) => from + index);
  const statusOf = ({ raised }: Heard): number | undefined =>
    (raised as { readonly status?: number } | undefined)?.status;

  it('ends none of them as whole, and asks no vendor; as soon as there is room each has its receipt', async () => {
    const heard = new Map<number, Heard>();
    const end = Promise.withResolvers<void>();
    vendor.plan = () => ({ hold: { after: 0, until: end.promise } });
    const asked = all(0).map((number) => ask(heard, number));
    await until(
      () => vendor.calls.length,
      (taken) => taken === count,
    );
    writeFileSync(marker, '');
    end.resolve();
    await Promise.all(asked);
    for (const number of all(0)) {
      const got = heard.get(number);
      expect(got?.raised, `call ${number}`).to.not.equal(undefined);
      expect(got?.finish, `call ${number}`).to.equal(undefined);
    }
    await Promise.all(all(count).map((number) => ask(heard, number)));
    expect(all(count).map((number) => statusOf(heard.get(number) as Heard))).to.deep.equal(all(count).map(() => 503));
    expect(vendor.calls).to.have.length(count);
    rmSync(marker);
    const get = reading(at.url, at.key);
    await until(
      () => budgetOf(get),
      ({ reserved }) => reserved === 0,
      'the end of all reservations',
    );
    await Promise.all(all(2 * count).map((number) => ask(heard, number)));
    const counts = await compareBooks(get, vendor, heard);
    console.log(`      ${JSON.stringify(counts)}`);
    expect(counts['completed paid']).to.equal(2 * count);
    expect(await served.stop()).to.equal(0);
  });
});
