import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { severalNodes, startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';

interface Status {
  readonly status: string;
  readonly services: Readonly<Record<string, string>>;
}

interface Formula {
  readonly observed_since: string;
  readonly platform: { readonly downtime_seconds: number };
  readonly services: Readonly<Record<string, { readonly downtime_seconds: number }>>;
}

// Longer than three heartbeats: a shorter silence is not told.
const awayMs = 36_000;

describe('the status of several servers', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let nodes: readonly [ClusterNode, ClusterNode, ClusterNode];
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(severalNodes);
    nodes = cluster.nodes as typeof nodes;
  });
  after(() => cluster?.remove());

  const status = async (node: ClusterNode): Promise<Status> =>
    (await cluster.call<Status>(node, 'GET', '/status')).body;
  const formula = async (node: ClusterNode): Promise<Formula> =>
    (await cluster.call<Formula>(node, 'GET', '/status/formula')).body;
  const operational = (node: ClusterNode): Promise<Status> =>
    until(
      () => status(node),
      (found) => found.status === 'operational',
      `operational at ${node.name}`,
    );

  it('is operational, and stays so when one is killed: nobody counts as down', async () => {
    for (const node of nodes) await operational(node);
    const [killed, ...others] = nodes;
    await cluster.kill(killed);
    for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
      for (const node of others) expect((await status(node)).status, node.name).to.equal('operational');
      await delay(500);
    }
    for (const node of others) expect((await formula(node)).platform.downtime_seconds, node.name).to.equal(0);
    await cluster.start(killed);
    await operational(killed);
    expect((await formula(killed)).platform.downtime_seconds).to.equal(0);
  });

  it('shows the time in which none was there, the same at each, once', async () => {
    const since = (await formula(nodes[0])).observed_since;
    const begun = Date.now();
    await Promise.all(nodes.map((node) => cluster.kill(node)));
    await delay(awayMs);
    await Promise.all(nodes.map((node) => cluster.start(node)));
    const most = (Date.now() - begun) / 1000 + 10;
    for (const node of nodes) await operational(node);
    const shown = await until(
      () => Promise.all(nodes.map(formula)),
      (found) => new Set(found.map(({ platform }) => platform.downtime_seconds)).size === 1,
      'one downtime',
    );
    const [one] = shown;
    console.log(`      ${one?.platform.downtime_seconds} s of ${Math.round(most)} s`);
    expect(one?.platform.downtime_seconds).to.be.within(awayMs / 1000 - 1, most);
    for (const { observed_since, services } of shown) {
      expect(observed_since).to.equal(since);
      for (const [name, { downtime_seconds }] of Object.entries(services))
        expect(downtime_seconds, name).to.equal(one?.platform.downtime_seconds);
    }
    const pages = await Promise.all(
      nodes.map(async (node) => {
        const days = await cluster.call<{ days: object[] }>(node, 'GET', '/status/history?days=2');
        const feed = await (await fetch(`${node.url}/api/v2/components.json`)).json();
        return { days: days.body.days.length, components: (feed as { components: object[] }).components };
      }),
    );
    for (const page of pages) expect(page).to.deep.equal(pages[0]);
    const client = await cluster.postgres.client(cluster.database);
    const { rows } = await client.query(`SELECT service FROM observability_spans WHERE status = 'major_outage'`);
    expect(rows.length, 'spans').to.equal(4);
  });

  // Of one server test/plugins/observability/restart.full.test.ts shows it.
  if (process.env['CLUSTER_SOAK'] === '1')
    it('shows a planned time when all leave cleanly', async () => {
      const before = (await formula(nodes[0])).platform.downtime_seconds;
      await Promise.all(
        nodes.map(async (node) => {
          node.up = false;
          await node.served.stop();
        }),
      );
      await delay(awayMs);
      await Promise.all(nodes.map((node) => cluster.start(node)));
      for (const node of nodes) {
        await operational(node);
        expect((await formula(node)).platform.downtime_seconds, node.name).to.equal(before);
      }
      const client = await cluster.postgres.client(cluster.database);
      const { rows } = await client.query(`SELECT service FROM observability_spans WHERE status = 'under_maintenance'`);
      expect(rows.length, 'spans').to.equal(4);
    });
});
