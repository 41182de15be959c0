import { startCluster, type Cluster } from '../../../helpers/cluster.ts';
import { needPostgres } from '../../../helpers/use-postgres.ts';
import { gatewayData, gatewayEnv, writeData } from './gateway.ts';
import { callsOfSwap, startVendors, swapPlatform, swapUnderStreams, testSwap } from './swapped.ts';
import type { Swapped, Vendors } from './swapped.ts';

const count = Number(process.env['SWAP_STREAMS'] ?? 32);
const everyMs = 10;

describe(`a swap of the provider under ${count} streams of two nodes, and ${1000 / everyMs} new ones a second`, function () {
  this.timeout(120_000 + count * 500);
  let vendors: Vendors;
  let cluster: Cluster;
  let swapped: Swapped;
  before(async function () {
    needPostgres(this);
    vendors = await startVendors();
    const prepare = (home: string): void => writeData(home, gatewayData(callsOfSwap(count)));
    cluster = await startCluster(['a', 'b'], swapPlatform(vendors), () => ({ prepare, env: gatewayEnv }));
    const urls = cluster.nodes.map(({ url }) => url);
    swapped = await swapUnderStreams({ urls, key: cluster.key }, vendors, { count, everyMs });
  });
  after(async () => {
    await cluster?.remove();
    await Promise.all([vendors?.old, vendors?.next].map((vendor) => vendor?.close()));
  });

  testSwap(() => swapped);
});
