import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';

interface Made {
  readonly source: { readonly source_id: string };
  readonly token: string;
  readonly secret: string;
}

interface Acknowledged {
  readonly status: number;
  readonly delivery_id?: string;
}

/** Delivers an alert of a source of the vendor `generic` to a node; status 0: nobody answered. */
async function deliver(node: ClusterNode, { token, secret }: Omit<Made, 'source'>, id: string): Promise<Acknowledged> {
  const body = JSON.stringify({ id, state: 'info', severity: 'info', title: id, time: new Date().toISOString() });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-signature': signature };
  try {
    const answer = await fetch(`${node.url}/hooks/${token}`, { method: 'POST', headers, body });
    const { delivery_id } = (await answer.json()) as { delivery_id?: string };
    return { status: answer.status, ...(delivery_id === undefined ? {} : { delivery_id }) };
  } catch {
    return { status: 0 };
  }
}

const isWhole = process.env['CLUSTER_SOAK'] === '1';
const deliveries = isWhole ? 50 : 15;
const rounds = isWhole ? 6 : 2;
const streamed = isWhole ? 60 : 25;

describe('webhooks at three servers', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let nodes: readonly [ClusterNode, ClusterNode, ClusterNode];
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(['a', 'b', 'c']);
    nodes = cluster.nodes as typeof nodes;
  });
  after(() => cluster?.remove());

  const make = async (node: ClusterNode, more: object = {}): Promise<Made> => {
    const limits = { rate_per_second: 1000, burst: 1000 };
    const wish = { name: 'one', vendor: 'generic', delivery_pointer: '/id', limits, ...more };
    const { body, status } = await cluster.call<Made>(node, 'POST', '/sources', { body: wish });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };

  /** Waits until nothing of a source is queued; answers its deliveries in the order of acceptance, and its signals in that of processing. */
  const processed = async ({ source: { source_id } }: Made) => {
    const client = await cluster.postgres.client(cluster.database);
    const rowsOf = async <T>(columns: string, table: string, order: string): Promise<T[]> =>
      (await client.query(`SELECT ${columns} FROM ${table} WHERE source_id = $1 ORDER BY ${order}`, [source_id]))
        .rows as T[];
    const found = await until(
      () => rowsOf<{ delivery_id: string; state: string }>('delivery_id, state', 'ingestion_deliveries', 'delivery_id'),
      (rows) => rows.every(({ state }) => state !== 'queued'),
      'the end of the queue',
    );
    const signals = await rowsOf<{ delivery_id: string }>('delivery_id', 'ingestion_signals', 'signal_id');
    return { accepted: found, signals: signals.map(({ delivery_id }) => delivery_id) };
  };

  const holder = async (): Promise<ClusterNode> => {
    const client = await cluster.postgres.client(cluster.database);
    const { rows } = await client.query(`SELECT node FROM kernel_roles WHERE role = 'ingestion'`);
    const [{ node }] = rows as [{ node: string }];
    return nodes.find(({ name }) => name === node) ?? expect.fail(`no node ${node}`);
  };

  it(`are stored once though all get each of ${deliveries} at once, and processed once, in order`, async () => {
    const made = await make(nodes[0]);
    const told = { 202: 0, 200: 0 };
    for (let n = 0; n < deliveries; n++) {
      const answers = await Promise.all(nodes.map((node) => deliver(node, made, `alert-${n}`)));
      expect(new Set(answers.map(({ delivery_id }) => delivery_id)).size, JSON.stringify(answers)).to.equal(1);
      for (const { status } of answers) told[status as 200 | 202] += 1;
    }
    console.log(`      ${JSON.stringify(told)}`);
    expect(told).to.deep.equal({ 202: deliveries, 200: 2 * deliveries });
    const { accepted, signals } = await processed(made);
    expect(accepted).to.have.length(deliveries);
    expect(signals).to.deep.equal(accepted.map(({ delivery_id }) => delivery_id));
  });

  it('are processed soon wherever they were accepted, and read again where that is asked', async () => {
    const made = await make(nodes[1]);
    const held = await holder();
    const [other] = nodes.filter((node) => node !== held) as [ClusterNode];
    const begun = performance.now();
    const { delivery_id } = await deliver(other, made, 'one');
    await processed(made);
    const took = performance.now() - begun;
    console.log(`      ${Math.round(took)} ms`);
    const replayed = await cluster.call<{ queued: number }>(other, 'POST', `/deliveries/${delivery_id}/replay`);
    expect([replayed.status, replayed.body.queued]).to.deep.equal([202, 1]);
    await processed(made);
    const path = `/deliveries/${delivery_id}`;
    for (const node of nodes)
      expect((await cluster.call<{ signals: object[] }>(node, 'GET', path)).body.signals).to.have.length(1);
  });

  it('are refused at the others once a secret is revoked at one, and taken with a new one', async () => {
    const made = await make(nodes[0]);
    const path = `/sources/${made.source.source_id}`;
    let last = { version: 1, secret: made.secret };
    for (let round = 0; round < rounds; round++) {
      const [here, ...others] = [0, 1, 2].map((at) => nodes[(at + round) % 3]) as [ClusterNode, ClusterNode];
      const added = await cluster.call<typeof last>(here, 'POST', `${path}/secrets`, { body: {} });
      expect(added.status, JSON.stringify(added.body)).to.equal(201);
      for (const [at, node] of others.entries())
        expect((await deliver(node, { ...made, ...added.body }, `new-${round}-${at}`)).status, node.name).to.equal(202);
      expect((await cluster.call(here, 'DELETE', `${path}/secrets/${last.version}`)).status).to.equal(204);
      for (const [at, node] of others.entries())
        expect((await deliver(node, { ...made, ...last }, `old-${round}-${at}`)).status, node.name).to.equal(401);
      last = added.body;
    }
    // Both of what two nodes change at once stands.
    const changes = [{ name: 'other' }, { silent_after_s: 600 }, { retention_days: 7 }];
    const patched = await Promise.all(
      nodes.map((node, at) => cluster.call(node, 'PATCH', path, { body: changes[at] ?? {} })),
    );
    expect(patched.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    for (const node of nodes)
      expect((await cluster.call(node, 'GET', path)).body).to.include(Object.assign({}, ...changes));
    expect((await cluster.call(nodes[2], 'DELETE', path)).status).to.equal(204);
    for (const node of nodes) expect((await deliver(node, { ...made, ...last }, 'gone')).status).to.equal(404);
  });

  it('lose the one that processes them by kill -9: another does, each once', async () => {
    const made = await make(nodes[0]);
    const held = await holder();
    const acknowledged = new Set<string>();
    let stopped = false;
    let next = 0;
    const client = async (): Promise<void> => {
      while (!stopped) {
        const node = nodes[next++ % 3];
        if (node === undefined || !node.up) continue;
        const { delivery_id, status } = await deliver(node, made, `stream-${next}`);
        if (status === 202 && delivery_id !== undefined) acknowledged.add(delivery_id);
        await delay(20);
      }
    };
    const clients = Promise.all([client(), client(), client()]);
    await until(
      () => acknowledged.size,
      (size) => size >= streamed,
      'deliveries',
      5,
    );
    await cluster.kill(held);
    const before = acknowledged.size;
    await until(
      () => acknowledged.size,
      (size) => size >= before + streamed,
      'deliveries at the others',
    );
    await until(holder, (node) => node !== held, 'another that processes');
    stopped = true;
    await clients;
    const { accepted, signals } = await processed(made);
    expect(accepted.every(({ state }) => state !== 'dead')).to.equal(true);
    const stored = new Set(accepted.map(({ delivery_id }) => delivery_id));
    for (const id of acknowledged) expect(stored.has(id), id).to.equal(true);
    expect([...signals].sort(), 'each was processed once').to.deep.equal([...stored].sort());
    console.log(`      ${acknowledged.size} acknowledged, ${stored.size} stored and processed`);
    await cluster.start(held);
  });
});
