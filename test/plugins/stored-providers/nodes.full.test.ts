import { expect } from 'chai';
import { severalNodes, mailOf, startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';

const orb = 'notify.email@1.0.0';

interface Row {
  readonly name: string;
  readonly origin: string;
  readonly health: string;
}

interface Status {
  readonly active_provider: string;
  readonly providers: readonly Row[];
}

interface Shown {
  readonly code?: string;
  readonly origin: string;
  readonly config_digest: string;
}

describe('a provider in the store of several servers', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  const [one, two] = [() => cluster.nodes[0] as ClusterNode, () => cluster.nodes[1] as ClusterNode];
  before(async function () {
    needPostgres(this);
    const private_hosts = [{ host: '127.0.0.1' }];
    // The file gives no order for the Orb of e-mail.
    const bindings = { 'demo.echo@1.0.0': ['echo'] };
    const plugins = { 'stored-providers': { config: { private_hosts } } };
    cluster = await startCluster(severalNodes, { bindings, plugins });
  });
  after(() => cluster?.remove());

  const body = (more: object = {}) => ({
    adapter: 'email/smtp',
    config: { host: '127.0.0.1', port: cluster.smtp.port, starttls: 'never', ...more },
  });
  const put = (node: ClusterNode, sent: object, headers: Record<string, string> = {}) =>
    cluster.call<Shown & { provider: Shown }>(node, 'PUT', '/providers/relay', { body: sent, headers });
  const shown = (node: ClusterNode) => cluster.call<Shown>(node, 'GET', '/providers/relay');
  const status = async (node: ClusterNode) =>
    (await cluster.call<Status>(node, 'GET', `/providers/${orb}/status`)).body;
  const swap = (node: ClusterNode, provider: string) =>
    cluster.call(node, 'POST', `/providers/${orb}/swap`, { body: { provider } });
  const send = async (node: ClusterNode, token: string): Promise<void> => {
    const sent = { body: mailOf(token) };
    const { status: code } = await cluster.call(node, 'POST', '/orbisets/default/execute', sent);
    expect([code, cluster.mails(token)]).to.deep.equal([200, 1]);
  };

  it('serves on each of them once it is put at one', async () => {
    const made = await put(one(), body());
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const found = await shown(two());
    expect(found.body).to.include({ origin: 'store', config_digest: made.body.provider.config_digest });
    expect(found.headers.get('etag')).to.equal(made.headers.get('etag'));
    expect((await swap(two(), 'relay')).status).to.equal(200);
    for (const [index, node] of cluster.nodes.entries()) {
      await until(
        () => status(node),
        ({ active_provider }) => active_provider === 'relay',
        node.name,
      );
      await send(node, `first-${index}`);
    }
  });

  it('is changed at the other node under the condition of its ETag, once', async () => {
    const tag = (await shown(two())).headers.get('etag') ?? '';
    const sizes = [2, 3];
    const all = await Promise.all(
      [one(), two()].map((node, index) => put(node, body({ max_connections: sizes[index] }), { 'if-match': tag })),
    );
    expect(all.map((answer) => answer.status).sort()).to.deep.equal([200, 412]);
    const digests = await Promise.all(cluster.nodes.map(async (node) => (await shown(node)).body.config_digest));
    expect(new Set(digests).size).to.equal(1);
    for (const node of cluster.nodes) await send(node, `second-${node.name}`);
  });

  it('has a place in the order that is put at one node and used at all of them', async () => {
    const spare = (await status(two())).providers.find(({ origin }) => origin === 'file')?.name ?? '';
    const order = (node: ClusterNode, standbys: readonly string[], tag: string) =>
      cluster.call(node, 'PUT', `/providers/${orb}/order`, { body: { standbys }, headers: { 'if-match': tag } });
    const tag = async () => (await cluster.call(one(), 'GET', `/providers/${orb}/order`)).headers.get('etag') ?? '';
    const names = async (node: ClusterNode) => (await status(node)).providers.map(({ name }) => name);
    const begun = await tag();
    const all = await Promise.all([order(one(), [], begun), order(two(), [], begun)]);
    expect(all.map((answer) => answer.status).sort()).to.deep.equal([200, 412]);
    for (const node of cluster.nodes)
      await until(
        () => names(node),
        (found) => found.join() === 'relay',
        node.name,
      );
    expect((await order(two(), [spare], await tag())).status).to.equal(200);
    for (const node of cluster.nodes)
      await until(
        () => names(node),
        (found) => found.join() === `relay,${spare}`,
        node.name,
      );
  });

  it('is not removed at a node while another has swapped to it, and is after that', async () => {
    const removed = () => cluster.call<Shown>(one(), 'DELETE', '/providers/relay');
    expect((await removed()).body).to.include({ code: 'provider_in_use' });
    const spare = (await status(two())).providers.find(({ origin }) => origin === 'file')?.name ?? '';
    expect((await swap(two(), spare)).status).to.equal(200);
    await until(
      () => status(one()),
      ({ active_provider }) => active_provider === spare,
      spare,
    );
    expect((await removed()).status).to.equal(204);
    expect((await shown(two())).status).to.equal(404);
    await until(
      () => status(two()),
      ({ providers }) => providers.every(({ name }) => name !== 'relay'),
      'gone',
    );
  });

  it('serves again when a server starts, and the servers are configured alike', async () => {
    expect((await put(two(), body())).status).to.equal(201);
    const swapped = await swap(two(), 'relay');
    expect(swapped.status, JSON.stringify(swapped.body)).to.equal(200);
    await cluster.kill(one());
    await cluster.start(one());
    await until(
      () => status(one()),
      ({ active_provider }) => active_provider === 'relay',
      'after the start',
    );
    await send(one(), 'after-start');
    const { body: found } = await cluster.call<{ nodes: { health: string }[] }>(two(), 'GET', '/nodes');
    expect(found.nodes.map(({ health }) => health)).to.not.include('degraded');
  });
});
