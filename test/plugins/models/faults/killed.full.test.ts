import { expect } from 'chai';
import { createServed, type Served } from '../../../helpers/served.ts';
import { compareBooks } from './books.ts';
import { gatewayEnv, gatewayPlatform, writeGateway } from './gateway.ts';
import { Load, moments } from './load.ts';
import { reading } from './records.ts';
import { startBillingVendor, type BillingVendor } from './vendor.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2);

describe('kill -9 while models answer', () => {
  let vendor: BillingVendor;
  let served: Served;
  before(async () => {
    vendor = await startBillingVendor('vendor');
    served = createServed(gatewayPlatform(vendor.url), { env: gatewayEnv });
    writeGateway(served.home, 500 + rounds * 90);
  });
  after(async () => {
    await served.remove();
    await vendor.close();
  });

  it(`no call is paid without a receipt, and the budget agrees with the bills (${rounds} times)`, async function () {
    this.timeout(60_000 + rounds * 20_000);
    let key = '';
    const load = new Load(vendor, () => key);
    for (let round = 0; round < rounds; round++) {
      const started = await served.start();
      key = started.key;
      let killed: Promise<void> | undefined;
      let left = 8 + 6 * (round % 7);
      load.seen = (now) => {
        if (now === moments[round % moments.length] && --left === 0) killed ??= served.kill();
      };
      await load.run([started.url], 8, () => killed !== undefined);
      await killed;
    }
    load.seen = () => undefined;
    const { url } = await served.start();
    const counts = await compareBooks(reading(url, key), vendor, load.heard);
    console.log(`      ${load.count} calls: ${JSON.stringify(counts)}`);
    expect(counts['completed paid'] ?? 0).to.be.greaterThan(0);
    expect(counts['failed interrupted'] ?? 0).to.be.at.least(rounds);
    expect(vendor.undocumented).to.deep.equal([]);
    expect(await served.stop()).to.equal(0);
  });
});
