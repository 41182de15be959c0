import { expect } from 'chai';
import type { Cluster, ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { expectSound, expectWhole, settle } from './check.ts';
import { beginLoad, type Load } from './load.ts';
import { stateOf } from './nodes.ts';

/** What is done to nodes: it begins, and is over. */
export interface Fault {
  readonly nodes: readonly ClusterNode[];
  begin(): unknown;
  end(): unknown;
}

/**
 * Keeps nodes from the database for longer than a lease, under load: expects that they fall silent, are adopted, and end
 * with 75 once they reach it again; that nothing is lost or doubled; and that they serve when they are started again.
 * `loads`: those before, to which its own are added.
 */
export async function expectSilence(cluster: Cluster, { nodes, begin, end }: Fault, loads: Load[]): Promise<void> {
  const [first] = cluster.nodes.filter((node) => !nodes.includes(node)) as [ClusterNode];
  const load = await beginLoad(cluster, { prefix: `c${loads.length}x` });
  loads.push(load);
  await begin();
  for (const node of nodes)
    await until(
      async () => (await cluster.call(node, 'GET', '/health/ready')).status,
      (status) => status === 503,
      `${node.name} to be silent`,
    );
  for (const node of nodes)
    await until(
      () => stateOf(cluster, node.name),
      (state) => state === 'dead',
      `the adoption of ${node.name}`,
    );
  await end();
  for (const node of nodes) {
    node.up = false;
    await node.served.exited();
    expect(await node.served.stop(), 'EX_TEMPFAIL').to.equal(75);
  }
  await load.stop();
  expectWhole(await settle(cluster, first, [load]), nodes.map(({ name }) => name).join(' and '));
  await Promise.all(nodes.map((node) => cluster.start(node)));
  const again = await beginLoad(cluster, { prefix: `d${loads.length}x` });
  loads.push(again);
  await again.stop();
  expectWhole(await settle(cluster, nodes[0] ?? first, [again]), 'afterwards');
  console.log(`      ${(await expectSound(cluster, loads)).length} shards`);
}
