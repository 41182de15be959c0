import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { callOf } from './load.ts';

interface Ready {
  readonly status: string;
  readonly components: { readonly store: string };
}

const ahead: Readonly<Record<string, number>> = { a: 0, b: 3000, c: 3_600_000 };

describe('nodes whose clocks differ from the clock of the database', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  before(async function () {
    needPostgres(this);
    const run = (name: string) => ({
      preload: new URL('../../helpers/clock-ahead.ts', import.meta.url),
      serverEnv: { TEST_CLOCK_AHEAD_MS: String(ahead[name] ?? 0), ORB_LOG_LEVEL: 'warn' },
    });
    cluster = await startCluster(['a', 'b', 'c'], {}, run);
  });
  after(() => cluster?.remove());

  const ready = async (node: ClusterNode): Promise<string> => {
    const { body, status } = await cluster.call<Ready>(node, 'GET', '/health/ready');
    return `${status} ${body.components.store}`;
  };

  it('serve with 3 s and say so, and with an hour serve nothing', async () => {
    const [a, b, c] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
    for (const [node, shown] of [
      [a, '200 up'],
      [b, '200 degraded'],
      [c, '503 degraded'],
    ] as const)
      await until(
        () => ready(node),
        (found) => found === shown,
        `${node.name}: ${shown}`,
      );
    for (const [node, status] of [
      [a, 200],
      [b, 200],
      [c, 503],
    ] as const)
      expect((await callOf(cluster, node, { token: node.name, kind: 'mail' })).status, node.name).to.equal(status);
    expect([cluster.mails('a'), cluster.mails('b'), cluster.mails('c')]).to.deep.equal([1, 1, 0]);
    const { body } = await cluster.call<{ readonly status: string }>(b, 'GET', '/status');
    expect(body.status).to.equal('degraded_performance');
  });
});
