import { expect } from 'chai';
import { clusterCanRun, startCluster, type Cluster } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';

interface Nodes {
  readonly nodes: readonly { readonly name: string; readonly state: string; readonly serving: boolean }[];
}

describe('the list of nodes', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  before(async function () {
    if (!clusterCanRun()) return this.skip();
    cluster = await startCluster(['a', 'b']);
  });
  after(() => cluster?.remove());

  it('has each node, and says of one that was killed that another took over what it left', async () => {
    const [a, b] = cluster.nodes;
    if (a === undefined || b === undefined) throw new Error('two nodes were started');
    const states = async () => {
      const { body, status } = await cluster.call<Nodes>(a, 'GET', '/nodes');
      expect(status).to.equal(200);
      return body.nodes.map(({ name, serving, state }) => `${name} ${state} ${serving}`);
    };
    expect(await until(states, (all) => all.every((one) => one.endsWith('true')), 'both serve')).to.deep.equal([
      ...['a live true', 'b live true'],
    ]);
    const { stdout } = a.served.orb('nodes');
    expect(stdout).to.match(/^NAME +STATE .*\na +live +yes .*\nb +live +yes /);
    await cluster.kill(b);
    await until(states, ([, second]) => second === 'b dead false', 'the end of b', 60);
  });
});
