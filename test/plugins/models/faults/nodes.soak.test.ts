import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../../../helpers/cluster.ts';
import { until } from '../../../helpers/until.ts';
import { needPostgres } from '../../../helpers/use-postgres.ts';
import { compareBooks } from './books.ts';
import { gatewayEnv, gatewayPlatform, writeGateway } from './gateway.ts';
import { Load, moments } from './load.ts';
import { budgetOf, reading } from './records.ts';
import { startBillingVendor, type BillingVendor } from './vendor.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 3);

describe('kill -9 of one of two nodes while models answer', function () {
  this.timeout(120_000 + rounds * 30_000);
  let vendor: BillingVendor;
  let cluster: Cluster;
  before(async function () {
    needPostgres(this);
    vendor = await startBillingVendor('vendor');
    const prepare = (home: string): void => writeGateway(home, 1000 + rounds * 90);
    cluster = await startCluster(['a', 'b'], gatewayPlatform(vendor.url), () => ({ prepare, env: gatewayEnv }));
  });
  after(async () => {
    await cluster?.remove();
    await vendor?.close();
  });

  it(`no call is paid without a receipt, and the budget agrees with the bills (${rounds} times)`, async () => {
    const load = new Load(vendor, () => cluster.key);
    for (let round = 0; round < rounds; round++) {
      const doomed = cluster.nodes[round % 2] as ClusterNode;
      let killed: Promise<void> | undefined;
      let ended = false;
      let left = 8 + 6 * (round % 7);
      load.seen = (now) => {
        if (now === moments[round % moments.length] && --left === 0)
          killed ??= cluster.kill(doomed).then(() => void (ended = true));
      };
      // The callers of the other node go on until the killed one has ended.
      await load.run(
        cluster.nodes.map(({ url }) => url),
        8,
        () => ended,
      );
      await killed;
      await cluster.start(doomed);
    }
    load.seen = () => undefined;
    const gets = cluster.nodes.map(({ url }) => reading(url, cluster.key));
    const [get] = gets as [ReturnType<typeof reading>];
    await until(
      () => budgetOf(get),
      ({ reserved }) => reserved === 0,
      'the end of all reservations',
    );
    const counts = await compareBooks(get, vendor, load.heard);
    console.log(`      ${load.count} calls: ${JSON.stringify(counts)}`);
    expect(await budgetOf(gets[1] ?? get), 'as the other node sees it').to.deep.equal(await budgetOf(get));
    expect(counts['completed paid'] ?? 0).to.be.greaterThan(0);
    expect(counts['failed interrupted'] ?? 0).to.be.greaterThan(0);
    expect(vendor.undocumented).to.deep.equal([]);
  });
});
