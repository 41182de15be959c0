import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type pg from 'pg';
import { mailOf, severalNodes, startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';

const ticks = process.env['CLUSTER_SOAK'] === '1' ? 200 : 80;

interface Slot {
  readonly schedule_id: string;
  readonly outcome: string;
  readonly run_id: string | null;
}

describe('schedules at several servers', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let client: pg.Client;
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(severalNodes);
    client = await cluster.postgres.client(cluster.database);
    const orbiset = { id: 'ticks', orbs: ['*'] };
    expect(
      (await cluster.call(cluster.nodes[0] as ClusterNode, 'POST', '/orbisets', { body: orbiset })).status,
    ).to.equal(201);
  });
  after(() => cluster?.remove());

  // None of them is due by itself.
  async function make(node: ClusterNode, token: string): Promise<string> {
    const body = { ...mailOf(token), cron: '0 0 1 1 *', timezone: 'UTC', overlap: 'queue', catch_up: 'one' };
    const made = await cluster.call<{ schedule_id: string }>(node, 'POST', '/orbisets/ticks/schedules', { body });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    return made.body.schedule_id;
  }
  const due = (ids: readonly string[], at: number) =>
    client.query('UPDATE schedules_schedules SET next_at = $1, due_at = $1 WHERE schedule_id = ANY($2)', [at, ids]);
  const slots = async (ids: readonly string[]): Promise<readonly Slot[]> =>
    (await client.query('SELECT * FROM schedules_slots WHERE schedule_id = ANY($1)', [ids])).rows as Slot[];
  const holder = async (): Promise<ClusterNode | undefined> => {
    const { rows } = await client.query("SELECT node FROM kernel_roles WHERE role = 'schedules'");
    return cluster.nodes.find(({ name, up }) => up && name === (rows as { node: string }[])[0]?.node);
  };

  it(`start each of ${ticks} slots once, although the node that hands them over is killed twice`, async () => {
    const ids: string[] = [];
    while (ids.length < ticks) {
      const some = Array.from({ length: 20 }, (_, n) =>
        make(cluster.nodes[n % cluster.nodes.length] as ClusterNode, `tick${ids.length + n}`),
      );
      ids.push(...(await Promise.all(some)));
    }
    await due(ids, Date.now());
    for (const [at, least] of [0.1 * ticks, 0.55 * ticks].entries()) {
      await until(
        async () => (await slots(ids)).length,
        (count) => count >= least,
        `${least} slots`,
        5,
      );
      const found = await until(holder, (node) => node !== undefined, 'the holder of the role');
      console.log(`      ${found?.name} is killed after ${(await slots(ids)).length} slots`);
      if (found === undefined) throw new Error('nobody has the role');
      await cluster.kill(found);
      if (at === 0) await cluster.start(found);
    }
    const all = await until(
      () => slots(ids),
      (found) => found.length >= ticks,
      'all slots',
      200,
    );
    expect(new Set(all.map(({ schedule_id }) => schedule_id)).size).to.equal(ticks);
    expect(all.filter(({ outcome }) => outcome !== 'run')).to.deep.equal([]);
    const ended = await until(
      async () =>
        (await client.query("SELECT run_id, status FROM runtime_runs WHERE orbiset_id = 'ticks'")).rows as {
          run_id: string;
          status: string;
        }[],
      async (runs) =>
        runs.length >= ticks &&
        (await client.query("SELECT 1 FROM queue_runs WHERE orbiset_id = 'ticks'")).rowCount === 0,
      'the ends of all runs',
      200,
    );
    expect(ended.map(({ run_id }) => run_id).sort()).to.deep.equal(all.map(({ run_id }) => run_id).sort());
    const statuses = Object.groupBy(ended, ({ status }) => status);
    console.log(
      `      ${Object.entries(statuses)
        .map(([status, runs]) => `${runs?.length} ${status}`)
        .join(', ')}`,
    );
    const completed = statuses['completed']?.length ?? 0;
    const mails = Array.from({ length: ticks }, (_, n) => cluster.mails(`tick${n}`));
    expect(Math.max(...mails), 'a mail came twice').to.equal(1);
    expect(mails.filter((count) => count === 1).length).to.be.within(completed, ticks);
    // The node that was killed sent a few that are recorded nowhere.
    expect(ticks - completed).to.be.at.most(16);
    for (const node of cluster.nodes) if (!node.up) await cluster.start(node);
  });

  it('are changed at any node, and run now once for a key that is sent to all of them', async () => {
    const [first, second] = cluster.nodes as readonly [ClusterNode, ClusterNode];
    const id = await make(first, 'now');
    const path = `/orbisets/ticks/schedules/${id}`;
    const changed = await cluster.call<{ cron: string }>(second, 'PATCH', path, { body: { cron: '0 0 2 1 *' } });
    expect([changed.status, changed.body.cron]).to.deep.equal([200, '0 0 2 1 *']);
    const headers = { 'idempotency-key': 'once' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        cluster.call<{ run_id?: string }>(n % 2 === 0 ? first : second, 'POST', `${path}/run`, { headers }),
      ),
    );
    const runs = new Set(answers.flatMap(({ body, status }) => (status === 202 ? [body.run_id] : [])));
    expect(runs.size, JSON.stringify(answers.map(({ status }) => status))).to.equal(1);
    expect(answers.every(({ status }) => status === 202 || status === 409)).to.equal(true);
    await until(
      () => Promise.resolve(cluster.mails('now')),
      (count) => count === 1,
      'the mail of the run',
    );
    expect((await slots([id])).map(({ outcome }) => outcome)).to.deep.equal(['started']);
  });

  it('that are paused or deleted at one node run at no other after the answer', async () => {
    const ids = await Promise.all(
      Array.from({ length: 24 }, (_, n) => make(cluster.nodes[n % cluster.nodes.length] as ClusterNode, `paused${n}`)),
    );
    await due(ids, Date.now());
    const begun = new Map<string, number>();
    for (const [index, id] of ids.entries()) {
      const node = cluster.nodes[index % cluster.nodes.length] as ClusterNode;
      const path = `/orbisets/ticks/schedules/${id}`;
      const { status } = await (index % 2 === 0
        ? cluster.call(node, 'POST', `${path}/pause`)
        : cluster.call(node, 'DELETE', path));
      expect(status).to.equal(index % 2 === 0 ? 200 : 204);
      begun.set(id, (await slots([id])).length);
    }
    await delay(2500);
    for (const id of ids) expect((await slots([id])).length, id).to.equal(begun.get(id));
    const { rowCount } = await client.query(
      "SELECT 1 FROM schedules_schedules WHERE schedule_id = ANY($1) AND state <> 'paused' AND next_at < $2",
      [ids, Date.now()],
    );
    expect(rowCount, 'a pause was undone').to.equal(0);
  });
});
