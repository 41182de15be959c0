import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { mailOf, startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { callOf } from './load.ts';

interface Ready {
  readonly status: string;
  readonly components: { readonly store: string };
}

describe('nodes whose clocks differ from the clock of the database', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  let folder: string;
  before(async function () {
    needPostgres(this);
    folder = mkdtempSync(join(tmpdir(), 'orb-clocks-'));
    const run = (name: string) => ({
      preload: new URL('../../helpers/clock-set.ts', import.meta.url),
      serverEnv: { TEST_CLOCK_FILE: join(folder, name), ORB_LOG_LEVEL: 'warn' },
    });
    cluster = await startCluster(['a', 'b', 'c'], {}, run);
  });
  after(async () => {
    await cluster?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const set = (node: ClusterNode, aheadMs: number): void => writeFileSync(join(folder, node.name), String(aheadMs));
  const ready = async (node: ClusterNode): Promise<string> => {
    const { body, status } = await cluster.call<Ready>(node, 'GET', '/health/ready');
    return `${status} ${body.components.store}`;
  };
  const shows = (node: ClusterNode, shown: string) =>
    until(
      () => ready(node),
      (found) => found === shown,
      `${node.name}: ${shown}`,
    );

  it('serve with 3 s and say so, and with an hour serve nothing', async () => {
    const [a, b, c] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
    set(b, 3000);
    set(c, 3_600_000);
    for (const [node, shown] of [
      [a, '200 up'],
      [b, '200 degraded'],
      [c, '503 degraded'],
    ] as const)
      await shows(node, shown);
    for (const [node, status] of [
      [a, 200],
      [b, 200],
      [c, 503],
    ] as const)
      expect((await callOf(cluster, node, { token: node.name, kind: 'mail' })).status, node.name).to.equal(status);
    expect([cluster.mails('a'), cluster.mails('b'), cluster.mails('c')]).to.deep.equal([1, 1, 0]);
    await until(
      async () => (await cluster.call<{ readonly status: string }>(b, 'GET', '/status')).body.status,
      (status) => status === 'degraded_performance',
      'the status page to say so',
    );
  });

  it('give up their roles to the others, and serve again when their clock is right', async () => {
    const [a, b, c] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode];
    for (const node of [a, b]) set(node, 0);
    const client = await cluster.postgres.client(cluster.database);
    const holders = async (): Promise<readonly string[]> =>
      (await client.query<{ node: string }>('SELECT DISTINCT node FROM kernel_roles')).rows.map(({ node }) => node);
    await until(holders, (found) => found.length > 0 && !found.includes('c'), 'other holders than c');
    set(a, -90_000_000);
    await until(holders, (found) => found.length === 1 && found[0] === 'b', 'b to hold all roles');
    set(c, 0);
    await shows(c, '200 up');
    const again = await cluster.call(c, 'POST', '/orbisets/default/execute', { body: mailOf('again') });
    expect(again.status, JSON.stringify(again.body)).to.equal(200);
  });
});
