import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { mailOf, startCluster, type Cluster, type ClusterNode, type ShownRun } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';

interface Answer {
  readonly code?: string;
  readonly run_id?: string;
}

const brief = 'notify.brief@1.0.0';

describe('limits of runs at three servers', function () {
  this.timeout(240_000);
  let cluster: Cluster;
  let nodes: readonly [ClusterNode, ClusterNode, ClusterNode];
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(['a', 'b', 'c']);
    nodes = cluster.nodes as typeof nodes;
    // A call that hangs ends soon.
    const email = await cluster.call<{ manifest: object }>(nodes[0], 'GET', '/orbs/notify.email@1.0.0');
    const manifest = { ...email.body.manifest, orb_id: brief, timeout_ms: 2500 };
    expect((await cluster.call(nodes[0], 'PUT', `/orbs/${brief}`, { body: manifest })).status).to.equal(201);
  });
  after(() => cluster?.remove());
  afterEach(() => delete cluster?.smtp.misbehaviour.data);

  const putOrbiset = async (id: string, limits: object): Promise<void> => {
    const put = await cluster.call(nodes[0], 'POST', '/orbisets', { body: { id, orbs: ['*'], limits } });
    expect(put.status, JSON.stringify(put.body)).to.equal(201);
  };
  const execute = (node: ClusterNode, orbiset: string, body: object, headers = {}) =>
    cluster.call<Answer>(node, 'POST', `/orbisets/${orbiset}/execute`, { body, headers });
  const openRuns = async (): Promise<number> => {
    const client = await cluster.postgres.client(cluster.database);
    const { rowCount } = await client.query('SELECT run_id FROM journal_runs');
    await client.end();
    return rowCount ?? 0;
  };

  it('serve of 100 that are allowed in a window at least 85, and never 101', async () => {
    await putOrbiset('rated', { rate: { count: 100, window_s: 600 } });
    const served = new Map<string, number>();
    let refused = 0;
    let asked = 0;
    let away = 0;
    const ask = async (node: ClusterNode, run: string): Promise<number> => {
      const { status, body, headers } = await present(node, run);
      if (status === 200) served.set(node.name, (served.get(node.name) ?? 0) + 1);
      else {
        expect([status, body.code], JSON.stringify(body)).to.deep.equal([429, 'rate_limited']);
        expect(Number(headers.get('retry-after'))).to.be.within(1, 600);
        refused += 1;
      }
      return status;
    };
    // A machine that is busy with other things may let a node fall silent for a moment: it is asked again.
    const present = (node: ClusterNode, run: string) =>
      until(
        () => cluster.callOnce<Answer>(node, 'POST', '/orbisets/rated/execute', { body: mailOf(run) }),
        ({ status }) => {
          if (status === 503) away += 1;
          return status !== 503;
        },
        node.name,
        200,
      );
    const client = async (): Promise<void> => {
      while (asked < 150) {
        const number = asked++;
        await ask(nodes[number % 3] ?? nodes[0], `rated${number}`);
      }
    };
    await Promise.all(Array.from({ length: 9 }, client));
    // A node may have places left that it took before it was away.
    for (const node of nodes)
      await until(
        () => ask(node, 'more'),
        (status) => status === 429,
        node.name,
      );
    const all = [...served.values()].reduce((sum, count) => sum + count, 0);
    console.log(`      ${all} served: ${JSON.stringify(Object.fromEntries(served))}, ${refused} refused, ${away} away`);
    expect(all).to.be.at.most(100);
    expect(all + away).to.be.at.least(85);
    expect(served.size, 'each node served some').to.equal(3);
  });

  it('let as many runs be under way as are allowed, at all nodes together', async () => {
    await putOrbiset('placed', { concurrency: 2 });
    cluster.smtp.misbehaviour.data = 'hang';
    const askAll = async (): Promise<readonly number[]> => {
      const asked = nodes.flatMap((node) =>
        [1, 2].map((n) => execute(node, 'placed', { ...mailOf(`placed${node.name}${n}`), orb_id: brief })),
      );
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    const statuses = await askAll();
    // Those that hang end without an answer of the provider.
    expect(statuses.filter((status) => status === 429)).to.have.length(4);
    expect(statuses.filter((status) => status === 504)).to.have.length(2);
    delete cluster.smtp.misbehaviour.data;
    // One after the other, each at another node: a place that ends is free everywhere.
    await putOrbiset('single', { concurrency: 1 });
    for (let n = 0; n < 6; n++) {
      const { status, body } = await execute(nodes[n % 3] ?? nodes[0], 'single', mailOf(`single${n}`));
      expect(status, JSON.stringify(body)).to.equal(200);
    }
  });

  it('let as many queued runs be under way as are allowed, and each node has its part', async () => {
    await putOrbiset('queued', { async_concurrency: 2 });
    cluster.smtp.misbehaviour.data = 'hang';
    const accepted: { readonly node: ClusterNode; readonly id: string }[] = [];
    for (const node of nodes)
      for (const n of [1, 2]) {
        const body = { ...mailOf(`queued${node.name}${n}`), orb_id: brief };
        const { status, body: run } = await execute(node, 'queued', body, { prefer: 'respond-async' });
        expect(status, JSON.stringify(run)).to.equal(202);
        accepted.push({ node, id: run.run_id ?? '' });
      }
    const client = await cluster.postgres.client(cluster.database);
    const held = async (): Promise<number> => {
      const { rows } = await client.query("SELECT sum(held) AS n FROM limits_permits WHERE name = 'queue queued'");
      return Number((rows as { n: unknown }[])[0]?.n);
    };
    let most = 0;
    await until(openRuns, (count) => count === 2, 'calls under way');
    for (let look = 0; look < 10; look++) {
      expect(await openRuns(), 'as many as are allowed, and no more').to.equal(2);
      await delay(50);
    }
    // The node that accepted a run serves it.
    const isOpen = async ({ id, node }: (typeof accepted)[number]): Promise<boolean> => {
      const { status } = (await cluster.call<ShownRun>(node, 'GET', `/runs/${id}`)).body;
      return status === 'queued' || status === 'running';
    };
    await until(
      async () => {
        most = Math.max(most, await held());
        return Promise.all(accepted.map(isOpen));
      },
      (open) => !open.includes(true),
      'the end of all runs',
    );
    expect(most).to.equal(2);
    await until(held, (count) => count === 0, 'the return of all permits');
  });

  it('are free again within 15 seconds when the node that had the places is killed', async () => {
    const [a, , c] = nodes;
    await putOrbiset('killed', { concurrency: 2 });
    cluster.smtp.misbehaviour.data = 'hang';
    const hanging = [1, 2].map((n) => execute(c, 'killed', mailOf(`killed${n}`)));
    await until(openRuns, (count) => count === 2, 'calls under way');
    expect((await execute(a, 'killed', mailOf('refused'))).status).to.equal(429);
    delete cluster.smtp.misbehaviour.data;
    await cluster.kill(c);
    const killed = performance.now();
    await Promise.all(hanging);
    await until(
      () => execute(a, 'killed', mailOf('again')),
      ({ status }) => status === 200,
      'a free place',
    );
    const seconds = (performance.now() - killed) / 1000;
    console.log(`      free after ${seconds.toFixed(1)} s`);
    expect(seconds).to.be.lessThan(20);
    await cluster.start(c);
    await delay(0);
    expect((await execute(c, 'killed', mailOf('back'))).status).to.equal(200);
  });
});
