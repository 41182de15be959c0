import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { mailOf, startCluster, type Cluster, type ClusterNode, type ShownRun } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';

describe('a server that is to serve beside others, and one that serves alone', function () {
  this.timeout(240_000);
  let cluster: Cluster;
  let alone: ClusterNode;
  let beside: ClusterNode;
  before(async function () {
    needPostgres(this);
    const platform = { store: { several_nodes: false } };
    cluster = await startCluster(['a', 'b'], {}, (name) => (name === 'a' ? { platform } : { down: true }));
    [alone, beside] = cluster.nodes as [ClusterNode, ClusterNode];
  });
  after(() => cluster?.remove());

  const rows = async (sql: string): Promise<readonly unknown[]> => {
    const client = await cluster.postgres.client(cluster.database);
    const found = await client.query<Record<string, unknown>>(sql);
    await client.end();
    return found.rows.map((row) => Object.values(row)[0]);
  };
  const living = () => rows(`SELECT node FROM kernel_nodes WHERE state = 'live' ORDER BY node`);
  const sessions = () => rows(`SELECT pid FROM pg_stat_activity WHERE application_name = 'agent-orb'`);

  /** Starts a node and answers its start, which waits for the other node; the other one still has the database. */
  async function startWaiting(node: ClusterNode, other: ClusterNode) {
    const { length } = await sessions();
    const started = cluster.start(node);
    await until(sessions, (now) => now.length > length, 'the start');
    await delay(2000);
    expect(await living()).to.deep.equal([other.name]);
    return { started };
  }
  const send = (node: ClusterNode, token: string) =>
    cluster.call<ShownRun>(node, 'POST', '/orbisets/default/execute', {
      body: mailOf(token),
      headers: { prefer: 'respond-async' },
    });

  it('serve one after the other: the second waits, and settles what the first left when it was killed', async () => {
    const { started } = await startWaiting(beside, alone);
    const accepted = await Promise.all(Array.from({ length: 20 }, (_, n) => send(alone, `m${n}`)));
    await cluster.kill(alone);
    await started;
    expect(await living()).to.deep.equal(['b']);
    const ends: Record<string, number> = {};
    for (const { body } of accepted) {
      const { body: run } = await until(
        () => cluster.call<ShownRun>(beside, 'GET', `/runs/${body.run_id}?wait=20`),
        (answer) => !['queued', 'running'].includes(answer.body.status),
        `the end of ${body.run_id}`,
      );
      ends[run.status] = (ends[run.status] ?? 0) + 1;
    }
    console.log(`      ${JSON.stringify(ends)}`);
    expect(
      Object.keys(ends).filter((status) => !['completed', 'indeterminate', 'failed'].includes(status)),
    ).to.deep.equal([]);
    await until(
      () => rows('SELECT incarnation FROM kernel_ended'),
      (left) => left.length === 0,
      'what was left to be settled',
    );
    const { status, stderr, stdout } = await cluster.orb(beside, 'log', 'fsck');
    expect(status, stdout + stderr).to.equal(0);
  });

  it('serve one after the other, too, when the one that waits is to serve alone', async () => {
    const { started } = await startWaiting(alone, beside);
    const ended = started.catch((error: unknown) => String(error));
    expect(await alone.served.stop()).to.equal(0);
    expect(await ended).to.include('ended with 0');
    expect(await living()).to.deep.equal(['b']);
  });
});
