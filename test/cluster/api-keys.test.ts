import { expect } from 'chai';
import { eventsOf } from '../helpers/sent-data.ts';
import { startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';
import { mcpClient } from '../plugins/mcp/client.ts';

interface MadeKey {
  readonly key: string;
  readonly key_id: string;
  readonly code?: string;
  readonly last_used_at?: string;
}

const rounds = 10;

describe('API keys of two servers', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  let nodes: readonly [ClusterNode, ClusterNode];
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(['a', 'b']);
    nodes = cluster.nodes as typeof nodes;
  });
  after(() => cluster?.remove());

  const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  async function make(node: ClusterNode, scopes: readonly string[]): Promise<MadeKey> {
    const { status, body } = await cluster.call<MadeKey>(node, 'POST', '/keys', { body: { scopes } });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  }
  const self = (node: ClusterNode, { key }: MadeKey) => cluster.call<MadeKey>(node, 'GET', '/keys/self', bearer(key));
  const revoke = (node: ClusterNode, { key_id }: MadeKey, sent = {}) =>
    cluster.call<MadeKey>(node, 'DELETE', `/keys/${key_id}`, sent);

  it(`are accepted by the other when one has made them, and by none when one has revoked them (${rounds} times)`, async () => {
    for (let round = 0; round < rounds; round++) {
      const [one, other] = round % 2 === 0 ? nodes : [nodes[1], nodes[0]];
      const key = await make(one, ['runs:read']);
      // Twice: the second use finds the key among the recent ones.
      for (const node of [other, other, one]) expect((await self(node, key)).status, node.name).to.equal(200);
      expect((await revoke(one, key)).status).to.equal(204);
      const after = await Promise.all([other, one].map((node) => self(node, key)));
      expect(
        after.map(({ status }) => status),
        `round ${round}`,
      ).to.deep.equal([401, 401]);
    }
  });

  /** Opens a stream of events; `ended` resolves with its end. */
  async function listenToEvents({ url }: ClusterNode, { key }: MadeKey) {
    const { body, status } = await fetch(`${url}/events`, bearer(key));
    expect(status).to.equal(200);
    const read = async (): Promise<void> => {
      for await (const _ of body as AsyncIterable<Uint8Array>);
    };
    return { ended: read() };
  }

  /** Listens to changes of tools; `ended` resolves with the result that ends that. */
  async function listenToTools({ url }: ClusterNode, { key: adminKey }: MadeKey) {
    const asked = { notifications: { toolsListChanged: true } };
    const { body } = await mcpClient({ url, adminKey }).open('subscriptions/listen', asked);
    const messages = eventsOf(body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await messages.next();
    const last = async (): Promise<void> => {
      expect(JSON.parse(String((await messages.next()).value))).to.have.nested.property('result.resultType');
    };
    return { ended: last() };
  }

  it('end what listens with them at each server: events and changes of tools', async () => {
    const [a, b] = nodes;
    const key = await make(a, ['orbs:execute', 'runs:read']);
    const streams = await Promise.all(nodes.flatMap((node) => [listenToEvents(node, key), listenToTools(node, key)]));
    let ends = 0;
    const counted = streams.map(({ ended }) => ended.then(() => (ends += 1)));
    expect((await self(b, key)).status).to.equal(200);
    expect(ends).to.equal(0);
    expect((await revoke(b, key)).status).to.equal(204);
    await Promise.all(counted);
  });

  it('show their last use, whichever server had it', async () => {
    const [a, b] = nodes;
    const [one, other] = [await make(a, ['runs:read']), await make(b, ['runs:read'])];
    // The servers follow the clock of the database, which may be a little behind this process.
    const begun = new Date(Date.now() - 1000).toISOString();
    await Promise.all([self(b, one), self(a, other), self(a, one)]);
    for (const node of nodes)
      for (const { key_id } of [one, other]) {
        const shown = async () => (await cluster.call<MadeKey>(node, 'GET', `/keys/${key_id}`)).body.last_used_at ?? '';
        await until(shown, (at) => at >= begun, `the last use of ${key_id}`);
      }
  });

  it('keep one live key with *, when each server is told to revoke one of the last two at once', async () => {
    const [a, b] = nodes;
    const extra = await make(a, ['*']);
    const first = (await self(a, { key: cluster.key, key_id: '' })).body;
    const answers = await Promise.all([revoke(a, first, bearer(extra.key)), revoke(b, extra, bearer(cluster.key))]);
    const told = answers.map(({ body, status }) => `${status} ${body.code ?? ''}`);
    // Who revokes second may be answered with a key that is gone by then.
    expect(told.filter((one) => one === '204 ')).to.have.length(1);
    expect(['409 last_admin_key', '401 unauthenticated']).to.include(told.find((one) => one !== '204 '));
    const left = answers[0].status === 204 ? extra : { ...first, key: cluster.key };
    for (const node of nodes) expect((await self(node, left)).status, node.name).to.equal(200);
  });
});
