import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { mailOf, startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { startSmtp, type SmtpReceiver } from '../helpers/smtp.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';

const orb = 'notify.email@1.0.0';

interface Swapped {
  readonly swap_id: string;
  readonly code?: string;
  readonly detail?: string;
  readonly state: string;
  readonly reason?: string;
}

interface Status {
  readonly active_provider: string;
  readonly swap_status: string;
  readonly nodes: readonly { readonly node: string; readonly generation: number; readonly in_flight: number }[];
  readonly generation: number;
  readonly providers: readonly { readonly name: string; readonly role: string; readonly in_flight: number }[];
}

describe('a swap that each of three servers prepares', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let smtp: SmtpReceiver;
  /** Accepts and says nothing: what one node alone must open. */
  let mute: Server;
  before(async function () {
    needPostgres(this);
    smtp = await startSmtp();
    mute = createServer().listen(smtp.port, '127.0.0.3');
    await once(mute, 'listening');
    const to = (host: unknown) => ({
      adapter: 'email/smtp',
      config: { host, port: smtp.port, starttls: 'never' },
    });
    const providers = {
      ...{ mail: to('127.0.0.1'), spare: to('127.0.0.1'), half: to({ $env: 'HALF' }), late: to('localhost') },
      slow: to({ $env: 'SLOW' }),
    };
    const bindings = { [orb]: ['mail'] };
    cluster = await startCluster(['a', 'b', 'c'], { bindings, swap_drain_ms: 20_000 }, (name) => {
      // Nobody listens at the second address.
      const other = to(name === 'c' ? '127.0.0.2' : '127.0.0.1');
      const lacking = name === 'b' ? {} : { lacking: to('127.0.0.1') };
      return {
        env: { HALF: name === 'b' ? '127.0.0.2' : '127.0.0.1', SLOW: name === 'a' ? '127.0.0.3' : '127.0.0.1' },
        platform: { providers: { ...providers, other, ...lacking } },
      };
    });
  });
  after(async () => {
    await cluster?.remove();
    await smtp?.close();
    mute?.close();
  });

  const named = (name: string) => cluster.nodes.find((node) => node.name === name) as ClusterNode;
  const swap = (node: ClusterNode, provider: string) =>
    cluster.call<Swapped>(node, 'POST', `/providers/${orb}/swap`, { body: { provider } });
  const shown = async (node: ClusterNode, swapId: string) =>
    (await cluster.call<Swapped>(node, 'GET', `/swaps/${swapId}`)).body;
  const status = async (node: ClusterNode) =>
    (await cluster.call<Status>(node, 'GET', `/providers/${orb}/status`)).body;
  const last = async (node: ClusterNode) =>
    (await cluster.call<{ swaps: readonly Swapped[] }>(node, 'GET', '/swaps?limit=1')).body.swaps[0];
  const allServe = async (provider: string) => {
    for (const node of cluster.nodes.filter(({ up }) => up)) {
      await until(
        () => status(node),
        (found) => found.active_provider === provider && found.swap_status !== 'swapping',
        `${provider} at ${node.name}`,
      );
      const { status: code } = await cluster.call(node, 'POST', '/orbisets/default/execute', {
        body: mailOf(`${provider}-${node.name}-${smtp.messages.length}`),
      });
      expect(code).to.equal(200);
    }
  };

  const refusals = [
    { provider: 'lacking', says: /^lacking cannot serve on the node b: there is no provider lacking/ },
    {
      provider: 'other',
      says: /^other cannot serve on the node c: provider other is configured differently on this node/,
    },
  ];
  for (const { provider, says } of refusals)
    it(`is refused when another node cannot make it: ${provider}`, async () => {
      const { status: code, body } = await swap(named('a'), provider);
      expect([code, body.code], JSON.stringify(body)).to.deep.equal([422, 'invalid_provider']);
      expect(body.detail).to.match(says);
      expect(await last(named('b'))).to.include({ state: 'failed', reason: 'other_definition' });
      await allServe('mail');
    });

  it('fails when the provider fails its proof on one node, and names it; the old one serves everywhere', async () => {
    const { status: code, body } = await swap(named('c'), 'half');
    expect([code, body.code], JSON.stringify(body)).to.deep.equal([502, 'probe_failed']);
    expect(body.detail).to.match(/^provider half failed on the node b \(\w+_failed\)/);
    await allServe('mail');
    expect((await swap(named('b'), 'spare')).status).to.equal(200);
    await allServe('spare');
  });

  it('has failed when the node that leads it dies before it is bound; what the others opened is closed', async () => {
    smtp.misbehaviour.connect = 'hang';
    const reached = smtp.reached('connect');
    const swapping = swap(named('a'), 'late');
    await reached;
    await cluster.kill(named('a'));
    await swapping;
    delete smtp.misbehaviour.connect;
    const failed = await until(
      () => last(named('b')),
      (found) => found?.state === 'failed',
      'the end of the swap',
    );
    expect(failed).to.include({ reason: 'interrupted', to: 'late' });
    await allServe('spare');
    expect((await swap(named('c'), 'late')).status).to.equal(200);
    await allServe('late');
    await cluster.start(named('a'));
    await allServe('late');
  });

  // A further node that dies in a swap: the soak.
  if (process.env['CLUSTER_SOAK'] === '1')
    it('has failed on the node that settles it too, where the provider is open already', async () => {
      const reached = once(mute, 'connection');
      const swapping = swap(named('a'), 'slow');
      await reached;
      for (const name of ['b', 'c'])
        await until(
          () => status(named(name)),
          (found) => found.swap_status === 'swapping',
          `the swap at ${name}`,
        );
      await delay(1000);
      await cluster.kill(named('a'));
      await swapping;
      await until(
        () => last(named('b')),
        (found) => found?.state === 'failed',
        'the end of the swap',
      );
      await allServe('late');
      expect((await swap(named('b'), 'spare')).status).to.equal(200);
      expect((await swap(named('c'), 'late')).status).to.equal(200);
      await cluster.start(named('a'));
      await allServe('late');
    });

  it('goes on when the node that leads it dies after it is bound, and is completed when all have drained', async () => {
    smtp.misbehaviour.data = 'hang';
    const held = smtp.reached('data');
    const running = cluster.call(named('b'), 'POST', '/orbisets/default/execute', { body: mailOf('held') });
    await held;
    delete smtp.misbehaviour.data;
    const { body } = await swap(named('a'), 'mail');
    expect(body).to.include({ state: 'draining' });
    const shared = await until(
      () => status(named('c')),
      ({ generation, nodes }) =>
        nodes.some(({ in_flight }) => in_flight === 1) && nodes.every((node) => node.generation === generation),
      'the run of b in the status of c',
    );
    expect(shared.nodes.map(({ in_flight, node }) => `${node} ${in_flight}`)).to.deep.equal(['a 0', 'b 1', 'c 0']);
    const { generation } = await status(named('b'));
    expect(shared.nodes.map((node) => node.generation)).to.deep.equal([generation, generation, generation]);
    const used = shared.providers.filter(({ in_flight }) => in_flight > 0);
    expect(used.map(({ in_flight, name, role }) => `${name} ${role} ${in_flight}`)).to.deep.equal(['late draining 1']);
    expect(shared.swap_status).to.equal('draining');
    await cluster.kill(named('a'));
    await allServe('mail');
    await until(
      async () => (await cluster.call<{ nodes: { name: string; state: string }[] }>(named('b'), 'GET', '/nodes')).body,
      ({ nodes }) => nodes.some(({ name, state }) => name === 'a' && state === 'dead'),
      'the end of a',
    );
    expect(await shown(named('c'), body.swap_id), 'while b drains').to.include({ state: 'draining' });
    await running;
    await until(
      () => shown(named('c'), body.swap_id),
      ({ state }) => state === 'completed',
      'the end of the swap',
    );
  });
});
