import { expect } from 'chai';
import { eventsOf } from '../helpers/sent-data.ts';
import { startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';
import { manifestOf, writeOrb } from '../plugins/marketplace/orbs.ts';
import { mcpClient } from '../plugins/mcp/client.ts';

interface Listing {
  readonly code?: string;
  readonly status: string;
  readonly status_message?: string;
  readonly receipt_id: string;
  readonly namespaces: readonly { readonly namespace: string; readonly owner: { readonly tenant: string } }[];
}

const orb = 'acme.mailer@1.0.0';
const disputed = ['acme.one@1.0.0', 'acme.two@1.0.0', 'acme.three@1.0.0'];

describe('the marketplace of two servers', function () {
  this.timeout(240_000);
  let cluster: Cluster;
  let nodes: readonly [ClusterNode, ClusterNode];
  before(async function () {
    needPostgres(this);
    // The files of the two servers say different things of some Orbs.
    const otherwise = (name: string) => ({
      prepare: (home: string) => disputed.forEach((id) => writeOrb(home, id, { title: `As ${name} has it` })),
    });
    const platform = { plugins: {}, providers: { echo: { adapter: 'echo/local' } }, bindings: {} };
    cluster = await startCluster(['a', 'b'], platform, otherwise);
    nodes = cluster.nodes as typeof nodes;
    const [a, b] = nodes;
    const granted = await cluster.call(a, 'POST', '/namespaces', { body: { namespace: 'acme' } });
    expect(granted.status).to.equal(201);
    const put = await cluster.call(b, 'PUT', `/orbs/${orb}`, { body: manifestOf(orb) });
    expect(put.status).to.equal(201);
  });
  after(() => cluster?.remove());

  const publish = (node: ClusterNode, orb_id: string, headers = {}) =>
    cluster.call<Listing>(node, 'POST', '/marketplace/orbs/publish', { body: { orb_id }, headers });
  const change = (node: ClusterNode, status: string) =>
    cluster.call<Listing>(node, 'PATCH', `/marketplace/orbs/${orb}/status`, { body: { status, reason: 'Because.' } });
  const listing = (node: ClusterNode, id = orb) => cluster.call<Listing>(node, 'GET', `/marketplace/orbs/${id}`);
  async function tools({ url }: ClusterNode): Promise<string> {
    return JSON.stringify((await mcpClient({ url, adminKey: cluster.key }).ask('tools/list')).body.result.tools);
  }
  const count = async (kind: string, of: string): Promise<number> => {
    const client = await cluster.postgres.client(cluster.database);
    const { rows } = await client.query('SELECT receipt_id FROM receipts_receipts WHERE kind = $1 AND orb_id = $2', [
      kind,
      of,
    ]);
    return rows.length;
  };

  it('publishes once what both are asked to publish with one key, and both repeat the answer', async () => {
    const key = { 'idempotency-key': 'publish-mailer' };
    const answers = await Promise.all([0, 1, 2, 3].map((at) => publish(nodes[at % 2] ?? nodes[0], orb, key)));
    for (const { body, status } of answers)
      expect(status === 201 || body.code === 'idempotency_in_progress', JSON.stringify(body)).to.equal(true);
    expect(answers.some(({ status }) => status === 201)).to.equal(true);
    for (const node of nodes) {
      const again = await publish(node, orb, key);
      expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true']);
    }
    expect(await count('standing', orb)).to.equal(1);
  });

  it('lists at the one what the other has published, deprecated and yanked, when it has answered', async () => {
    const [a, b] = nodes;
    const { url } = b;
    const asked = { notifications: { toolsListChanged: true } };
    const { body } = await mcpClient({ url, adminKey: cluster.key }).open('subscriptions/listen', asked);
    const messages = eventsOf(body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const told = async () => (JSON.parse(String((await messages.next()).value)) as { readonly method: string }).method;
    expect(await told()).to.equal('notifications/subscriptions/acknowledged');
    for (const node of nodes) {
      expect((await listing(node)).body.status, node.name).to.equal('active');
      expect(await tools(node), node.name).to.include(orb);
    }
    expect((await change(b, 'deprecated')).status).to.equal(200);
    expect((await listing(a)).body).to.include({ status: 'deprecated', status_message: 'Because.' });
    expect((await change(a, 'yanked')).status).to.equal(200);
    expect((await listing(b)).body.status).to.equal('yanked');
    for (const node of nodes) expect(await tools(node), node.name).not.to.include(orb);
    expect(await told()).to.equal('notifications/tools/list_changed');
    const again = await publish(b, orb);
    expect([again.status, again.body.code]).to.deep.equal([409, 'version_published']);
  });

  it('keeps a version as it was published: of two manifests at once one is published, the other 409', async () => {
    for (const id of disputed) {
      const answers = await Promise.all(nodes.map((node) => publish(node, id)));
      const [first, second] = [...answers].sort((one, other) => one.status - other.status);
      expect([first?.status, second?.status, second?.body.code]).to.deep.equal([201, 409, 'version_published']);
      expect(await count('standing', id)).to.equal(1);
      const texts = await Promise.all(nodes.map(async (node) => (await listing(node, id)).body));
      expect(texts[0]).to.deep.equal(texts[1]);
    }
  });

  it('frees the key of a publication that is refused: it is for a namespace that is granted later', async () => {
    const [a, b] = nodes;
    const id = 'later.orb@1.0.0';
    expect((await cluster.call(a, 'PUT', `/orbs/${id}`, { body: manifestOf(id) })).status).to.equal(201);
    const key = { 'idempotency-key': 'publish-later' };
    for (const node of nodes) expect((await publish(node, id, key)).body.code, node.name).to.equal('access_denied');
    expect((await cluster.call(b, 'POST', '/namespaces', { body: { namespace: 'later' } })).status).to.equal(201);
    expect((await publish(a, id, key)).status).to.equal(201);
    // Revoked at one, nobody publishes there at the other.
    expect((await cluster.call(a, 'DELETE', '/namespaces/later')).status).to.equal(200);
    expect((await publish(b, id)).body.code).to.equal('access_denied');
  });

  it('grants a namespace to one tenant after the other when both are asked at once', async () => {
    const [a, b] = nodes;
    const grant = (node: ClusterNode, tenant: string) =>
      cluster.call(node, 'POST', '/namespaces', { body: { namespace: 'wanted', owner: { tenant } } });
    const answers = await Promise.all([grant(a, 'one'), grant(b, 'other')]);
    // Who comes second changes the owner.
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 201]);
    const last = answers[0].status === 200 ? 'one' : 'other';
    for (const node of nodes) {
      const owner = async () =>
        (await cluster.call<Listing>(node, 'GET', '/namespaces')).body.namespaces.find(
          ({ namespace }) => namespace === 'wanted',
        )?.owner.tenant;
      expect(await until(owner, (found) => found !== undefined, 'the grant'), node.name).to.equal(last);
    }
  });
});
