import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { gatewayData, gatewayEnv } from './gateway.ts';
import { callsOfSwap, startVendors, swapPlatform, swapUnderStreams, testSwap } from './swapped.ts';
import type { Swapped, Vendors } from './swapped.ts';

const count = Number(process.env['SWAP_STREAMS'] ?? 32);

describe(`a swap of the provider under ${count} streams`, function () {
  this.timeout(60_000 + count * 500);
  let vendors: Vendors;
  let platform: TestPlatform;
  let swapped: Swapped;
  before(async () => {
    vendors = await startVendors();
    const data = gatewayData(callsOfSwap(count));
    platform = await startPlatform({ env: gatewayEnv, platform: swapPlatform(vendors), data });
    swapped = await swapUnderStreams({ urls: [platform.url], key: platform.adminKey }, vendors, { count });
  });
  after(async () => {
    await platform?.stop();
    await Promise.all([vendors?.old, vendors?.next].map((vendor) => vendor?.close()));
  });

  testSwap(() => swapped);
});
