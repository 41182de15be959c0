import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { mailOf, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import type { VendorServer } from '../../helpers/vendor.ts';

interface Made {
  readonly subscription: { readonly subscription_id: string };
  readonly secret: string;
  readonly state?: string;
  readonly run_id: string;
  readonly code?: string;
  readonly callbacks: readonly { readonly run_id: string; readonly state: string }[];
}

/** Tests that subscriptions of one server tell of the runs of all; `listening`: who receives, by leave of their settings. */
export function testSubscriptions(shared: () => Cluster, listening: () => VendorServer): void {
  describe('subscriptions of two servers', function () {
    this.timeout(180_000);
    let cluster: Cluster;
    let receiver: VendorServer;
    let nodes: readonly [ClusterNode, ClusterNode];
    before(() => {
      cluster = shared();
      receiver = listening();
      nodes = cluster.nodes.slice(0, 2) as unknown as typeof nodes;
    });

    const subscribe = (node: ClusterNode) =>
      cluster.call<Made>(node, 'POST', '/orbisets/default/subscriptions', {
        body: { url: receiver.url, types: ['run.*'] },
      });
    async function run(node: ClusterNode, token: string): Promise<string> {
      const { body, status } = await cluster.call<Made>(node, 'POST', '/orbisets/default/execute', {
        body: mailOf(token),
      });
      expect(status, JSON.stringify(body)).to.equal(200);
      return body.run_id;
    }

    it('tell of the runs of the one from when the other has answered, and of no more', async () => {
      for (const [round, [one, other]] of [nodes, [nodes[1], nodes[0]]].entries()) {
        if (one === undefined || other === undefined) throw new Error('two nodes were started');
        const { body: made, status } = await subscribe(one);
        expect(status, JSON.stringify(made)).to.equal(201);
        const path = `/subscriptions/${made.subscription.subscription_id}`;
        const told = async () => (await cluster.call<Made>(one, 'GET', `${path}/callbacks`)).body.callbacks;
        const turn = (state: string) => cluster.call<Made>(one, 'PATCH', path, { body: { state } });
        const first = await run(other, `first-${round}`);
        expect((await told()).map(({ run_id }) => run_id)).to.deep.equal([first]);
        await until(told, ([callback]) => callback?.state === 'delivered', 'the callback');

        expect((await turn('paused')).status).to.equal(200);
        expect((await cluster.call<Made>(other, 'GET', path)).body.state).to.equal('paused');
        const second = await run(other, `second-${round}`);
        expect((await told()).map(({ run_id, state }) => [run_id, state])[0]).to.deep.equal([second, 'waiting']);
        expect((await turn('active')).status).to.equal(200);
        await until(told, ([callback]) => callback?.state === 'delivered', 'the second callback');

        expect((await cluster.call(one, 'DELETE', path)).status).to.equal(204);
        for (const node of nodes) expect((await cluster.call(node, 'GET', path)).status, node.name).to.equal(404);
        await run(other, `third-${round}`);
        const { rows } = await (
          await cluster.postgres.client(cluster.database)
        ).query('SELECT count(*) AS n FROM subscriptions_callbacks');
        expect(Number(rows[0]?.n)).to.equal(0);
      }
    });

    it('sign with the secrets of both, when both rotate at once', async () => {
      const [one] = nodes;
      const { body: made } = await subscribe(one);
      const path = `/subscriptions/${made.subscription.subscription_id}`;
      const rotated = await Promise.all(
        [...nodes, ...nodes].map((node) => cluster.call<Made>(node, 'POST', `${path}/secret`)),
      );
      for (const { body, status } of rotated) expect(status, JSON.stringify(body)).to.equal(201);
      const known = receiver.posts.length;
      await run(one, 'signed');
      const post = await until(
        () => receiver.posts[known],
        (found) => found !== undefined,
        'the callback',
      );
      for (const { body } of [{ body: made }, ...rotated])
        new Webhook(body.secret).verify(String(post?.body), { ...post?.headers } as Record<string, string>);
      await cluster.call(one, 'DELETE', path);
    });

    it('are fifty of an Orbiset at most, at whichever server they are made', async () => {
      const answers = await Promise.all(Array.from({ length: 56 }, (_, n) => subscribe(nodes[n % 2] ?? nodes[0])));
      const statuses = answers.map(({ body, status }) => (status === 201 ? 'made' : (body.code ?? String(status))));
      expect(statuses.filter((one) => one === 'made')).to.have.length(50);
      expect(statuses.filter((one) => one === 'subscription_limit')).to.have.length(6);
      // Runs of other tests are not told to so many.
      const made = answers.flatMap(({ body, status }) => (status === 201 ? [body.subscription.subscription_id] : []));
      await Promise.all(made.map((id) => cluster.call(nodes[0], 'DELETE', `/subscriptions/${id}`)));
    });
  });
}
