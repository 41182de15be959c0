import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { clusterCanRun, startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { expectSound, expectWhole, settle } from './check.ts';
import { beginLoad, soak, untilServed, type Load } from './load.ts';
import { incarnationsOf, stateOf } from './nodes.ts';

const resetMs = 300;

describe('the network between nodes and their database', function () {
  this.timeout(soak ? 1_200_000 : 180_000);
  let cluster: Cluster;
  const loads: Load[] = [];
  before(async function () {
    if (!clusterCanRun()) return this.skip();
    cluster = await startCluster(['a', 'b', 'c'], {}, undefined, { relayed: true });
  });
  after(() => cluster?.remove());

  const begin = async (prefix: string): Promise<Load> => {
    const load = await beginLoad(cluster, { prefix });
    loads.push(load);
    return load;
  };
  const ready = async (node: ClusterNode): Promise<number> => (await cluster.call(node, 'GET', '/health/ready')).status;

  it(`ends the connections of two every ${resetMs} ms: nothing is lost or doubled, and nobody is adopted`, async () => {
    const [, second, third] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
    const load = await begin('r');
    const before = await incarnationsOf(cluster);
    for (const end = performance.now() + (soak ? 60_000 : 6000); performance.now() < end; await delay(resetMs))
      for (const { relay } of [second, third]) relay.reset();
    await untilServed(load);
    await load.stop();
    expectWhole(await settle(cluster, second, [load]), `reset every ${resetMs} ms`);
    expect(await incarnationsOf(cluster)).to.deep.equal(before);
  });

  it('cuts one whole, and swallows the answers for another: both fall silent, are adopted, and end with 75', async () => {
    const [first, second, third] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
    const load = await begin('c');
    second.relay.set('cut');
    third.relay.set('deaf');
    for (const node of [second, third])
      await until(
        () => ready(node),
        (status) => status === 503,
        `${node.name} to be silent`,
      );
    for (const node of [second, third])
      await until(
        () => stateOf(cluster, node.name),
        (state) => state === 'dead',
        `the adoption of ${node.name}`,
      );
    for (const { relay } of [second, third]) relay.set('open');
    for (const node of [second, third]) {
      node.up = false;
      await node.served.exited();
      expect(await node.served.stop(), 'EX_TEMPFAIL').to.equal(75);
    }
    await load.stop();
    expectWhole(await settle(cluster, first, [load]), 'cut, and deaf');
    await Promise.all([second, third].map((node) => cluster.start(node)));
    const again = await begin('d');
    await again.stop();
    expectWhole(await settle(cluster, third, [again]), 'afterwards');
    console.log(`      ${(await expectSound(cluster, loads)).length} shards`);
  });
});
