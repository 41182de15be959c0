import { expect } from 'chai';
import type pg from 'pg';
import { mailOf, severalNodes, startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';
import { startVendor, type VendorServer } from '../helpers/vendor.ts';

describe('callbacks of runs at several servers', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let client: pg.Client;
  let receiver: VendorServer;
  before(async function () {
    needPostgres(this);
    receiver = await startVendor(() => ({ status: 204 }));
    const private_hosts = [{ host: '127.0.0.1', port: Number(new URL(receiver.url).port) }];
    const plugins = { ledger: false, subscriptions: { config: { private_hosts } } };
    cluster = await startCluster(severalNodes, { plugins });
    client = await cluster.postgres.client(cluster.database);
  });
  after(async () => {
    await cluster?.remove();
    await receiver?.close();
  });

  const execute = (node: ClusterNode, token: string) =>
    cluster.call(node, 'POST', '/orbisets/default/execute', { body: mailOf(token) });
  const told = (): readonly string[] =>
    receiver.posts.map(({ body }) => (JSON.parse(body.toString()) as { data: { run_id: string } }).data.run_id);
  const runs = async (): Promise<readonly string[]> => {
    const { rows } = await client.query('SELECT run_id FROM runtime_runs ORDER BY run_id');
    return (rows as { run_id: string }[]).map(({ run_id }) => run_id);
  };

  it('are sent by one of them, within a second or so, whichever ran what they tell of', async () => {
    const [a] = cluster.nodes as [ClusterNode];
    const body = { url: receiver.url, types: ['run.*'] };
    const made = await cluster.call(a, 'POST', '/orbisets/default/subscriptions', { body });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    for (const node of cluster.nodes) expect((await execute(node, `first-${node.name}`)).status).to.equal(200);
    const begun = performance.now();
    await until(told, (ids) => new Set(ids).size === cluster.nodes.length, 'a callback of each', 10);
    console.log(`      the last one after ${Math.round(performance.now() - begun)} ms`);
    expect([...told()].sort(), 'each once').to.deep.equal(await runs());
    // Whichever is asked: each knows of the runs of all.
    for (const node of cluster.nodes) {
      const { body: stats } = await cluster.call<{ series: { points: { total: number }[] }[] }>(node, 'GET', '/stats');
      const totals = stats.series.flatMap(({ points }) => points.map(({ total }) => total));
      expect(
        totals.reduce((sum, total) => sum + total, 0),
        node.name,
      ).to.equal(cluster.nodes.length);
    }
  });

  it('are all sent, although the node that sends them is killed', async () => {
    let sent = 0;
    let stopped = false;
    const work = async (): Promise<void> => {
      while (!stopped) {
        const node = cluster.nodes[sent % cluster.nodes.length];
        if (node?.up === true) await execute(node, `load${sent++}`);
        else sent++;
      }
    };
    const clients = Array.from({ length: 4 }, work);
    const before = told().length;
    await until(told, (ids) => ids.length >= before + 15, 'callbacks under load', 10);
    const { rows } = await client.query("SELECT node FROM kernel_roles WHERE role = 'callbacks'");
    const holder = cluster.nodes.find(({ name }) => name === (rows as { node: string }[])[0]?.node);
    if (holder === undefined) throw new Error('nobody has the role');
    await cluster.kill(holder);
    const ended = (await runs()).length;
    await until(runs, (all) => all.length >= ended + 15, 'runs at the others');
    stopped = true;
    await Promise.all(clients);
    // The runs that the dead node had begun end with receipts, too.
    await until(
      async () => (await client.query('SELECT run_id FROM journal_runs')).rowCount,
      (open) => open === 0,
      'the ends of all runs',
    );
    const all = await runs();
    await until(told, (ids) => new Set(ids).size >= all.length, 'all callbacks');
    expect([...new Set(told())].sort()).to.deep.equal(all);
    console.log(`      ${all.length} runs, ${told().length - all.length} callbacks sent twice`);
    await until(
      async () => (await client.query("SELECT 1 FROM subscriptions_callbacks WHERE state <> 'delivered'")).rowCount,
      (open) => open === 0,
      'the note of each delivery',
    );
  });
});
