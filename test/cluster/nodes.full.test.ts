import { expect } from 'chai';
import { startCluster, type Cluster } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';

interface Nodes {
  readonly nodes: readonly {
    readonly name: string;
    readonly state: string;
    readonly serving: boolean;
    readonly health: string;
    readonly reason?: string;
    readonly roles?: readonly string[];
  }[];
}

interface Ready {
  readonly components: Readonly<Record<string, string>>;
}

describe('the list of nodes', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(['a', 'b'], {}, (name) => ({
      platform: name === 'b' ? { limits: { key: { concurrency: 99 } } } : {},
    }));
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
    const roles = async () =>
      (await cluster.call<Nodes>(a, 'GET', '/nodes')).body.nodes.map(({ roles: held = [] }) => held);
    const shared = await until(roles, (all) => all.flat().includes('schedules'), 'who leads the schedules');
    expect(new Set(shared.flat()).size, 'a role has one node').to.equal(shared.flat().length);
    const { stdout } = a.served.orb('nodes');
    expect(stdout).to.match(/^NAME +STATE .*\na +live +yes +up .*\nb +live +yes +degraded /);
    const early = await cluster.call<{ code: string }>(a, 'POST', '/nodes/b/leave', { body: { confirm: 'b' } });
    expect([early.status, early.body.code]).to.deep.equal([409, 'node_alive']);
    await cluster.kill(b);
    await until(states, ([, second]) => second === 'b dead false', 'the end of b', 60);
    await until(roles, ([own = [], left = []]) => own.includes('schedules') && left.length === 0, 'the roles of b', 60);
    const unsure = await cluster.call<{ code: string }>(a, 'POST', '/nodes/b/leave', { body: { confirm: '' } });
    expect([unsure.status, unsure.body.code]).to.deep.equal([422, 'invalid_body']);
    expect(a.served.orb('nodes', 'leave', 'b', '--yes').stdout).to.match(/^b is removed/);
    expect(await states()).to.deep.equal(['a live true']);
    const unknown = await cluster.call<{ code: string }>(a, 'POST', '/nodes/b/leave', { body: { confirm: 'b' } });
    expect([unknown.status, unknown.body.code]).to.deep.equal([404, 'node_not_found']);
    await cluster.start(b);
    expect(await states()).to.deep.equal(['a live true', 'b live true']);
  });

  it('shows on every node the one that is configured otherwise, and so do its health and the doctor', async () => {
    for (const node of cluster.nodes) {
      const health = await until(
        async () => (await cluster.call<Ready>(node, 'GET', '/health/ready')).body.components['nodes'],
        (found) => found === 'degraded',
        `the health at ${node.name}`,
      );
      expect(health).to.equal('degraded');
      const { body } = await cluster.call<Nodes>(node, 'GET', '/nodes');
      expect(body.nodes.map(({ health: shown, name, reason }) => `${name} ${shown} ${reason ?? ''}`)).to.deep.equal([
        ...['a up ', 'b degraded its providers, bindings, plugins or limits differ from the other nodes'],
      ]);
      await until(
        async () =>
          (await cluster.call<{ services: { runtime: string } }>(node, 'GET', '/status')).body.services.runtime,
        (runtime) => runtime === 'degraded_performance',
        `the status at ${node.name}`,
        500,
      );
    }
    const [a] = cluster.nodes;
    expect(a?.served.orb('doctor').stdout).to.match(/! node b: its providers.*\n +Copy the platform.json/);
  });
});
