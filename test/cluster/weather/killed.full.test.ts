import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { severalNodes, startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { expectSound, expectWhole, settle } from './check.ts';
import { beginLoad, callOf, soak, untilServed, type Load } from './load.ts';
import { stateOf } from './nodes.ts';

const kills = soak ? 100 : 1;
/** One in so many is started again only when another node has taken its place. */
const adoptedEach = soak ? 10 : 1;

describe('several nodes on one database', function () {
  this.timeout(soak ? 3_600_000 : 240_000);
  let cluster: Cluster;
  const loads: Load[] = [];
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(severalNodes);
  });
  after(() => cluster?.remove());

  const adoptionOf = (node: ClusterNode): Promise<unknown> =>
    until(
      () => stateOf(cluster, node.name),
      (state) => state === 'dead',
      `the adoption of ${node.name}`,
    );

  it(`are killed (SIGKILL) one after the other, ${kills} times: the others serve on, and each run ends once`, async () => {
    const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const load = await beginLoad(cluster, { prefix: 'k', ...(soak ? { pauseMs: 100 } : {}) });
    loads.push(load);
    // The first answers wait for what a server makes when it is first used.
    load.measure();
    for (let number = 0; number < kills; number++) {
      const victim = cluster.nodes[number % cluster.nodes.length] as ClusterNode;
      await cluster.kill(victim);
      await untilServed(load);
      if (number % adoptedEach === adoptedEach - 1) await adoptionOf(victim);
      await cluster.start(victim);
    }
    await untilServed(load);
    await load.stop();
    expect(load.longestMs, 'nobody waits for the end of a lease').to.be.lessThan(9000);
    expectWhole(await settle(cluster, first, [load]), `killed × ${kills}`);
    console.log(`      longest answer of a node that lives ${Math.round(load.longestMs)} ms`);
    // What one node answers, another repeats.
    const told = load.told.find(({ kind }) => kind === 'mail') ?? expect.fail('no mail');
    const again = await callOf(cluster, second, told);
    expect([again.status, again.body.run_id]).to.deep.equal([200, told.run_id]);
  });

  it('refuse what one sends that was paused beyond its lease: it ends with 75, and nothing is doubled', async () => {
    const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const load = await beginLoad(cluster, { prefix: 'p' });
    loads.push(load);
    second.up = false;
    second.served.signal('SIGSTOP');
    await delay(1000);
    await adoptionOf(second);
    second.served.signal('SIGCONT');
    await second.served.exited();
    expect(await second.served.stop(), 'EX_TEMPFAIL').to.equal(75);
    await load.stop();
    expectWhole(await settle(cluster, first, [load]), 'paused');
    await cluster.start(second);
    expect((await callOf(cluster, second, { token: 'again', kind: 'mail' })).status).to.equal(200);
    console.log(`      ${(await expectSound(cluster, loads)).length} shards`);
  });
});
