import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { expectWhole, settle } from './check.ts';
import { beginLoad, soak, untilServed, type Load } from './load.ts';
import { incarnationsOf } from './nodes.ts';
import { expectSilence } from './silence.ts';

const resetMs = 300;

describe('the network between nodes and their database', function () {
  this.timeout(soak ? 1_200_000 : 180_000);
  let cluster: Cluster;
  const loads: Load[] = [];
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(['a', 'b', 'c'], {}, undefined, { relayed: true });
  });
  after(() => cluster?.remove());

  it(`ends the connections of two every ${resetMs} ms: nothing is lost or doubled, and nobody is adopted`, async () => {
    const [, second, third] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
    const load = await beginLoad(cluster, { prefix: 'r' });
    loads.push(load);
    const before = await incarnationsOf(cluster);
    for (const end = performance.now() + (soak ? 60_000 : 6000); performance.now() < end; await delay(resetMs))
      for (const { relay } of [second, third]) relay.reset();
    await untilServed(load);
    await load.stop();
    expectWhole(await settle(cluster, second, [load]), `reset every ${resetMs} ms`);
    expect(await incarnationsOf(cluster)).to.deep.equal(before);
  });

  it('cuts one whole, and swallows the answers for another: both fall silent, are adopted, and end with 75', async () => {
    const [, second, third] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
    const begin = (): void => {
      second.relay.set('cut');
      third.relay.set('deaf');
    };
    const end = (): void => [second, third].forEach(({ relay }) => relay.set('open'));
    await expectSilence(cluster, { nodes: [second, third], begin, end }, loads);
  });
});
