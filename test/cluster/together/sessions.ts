import { expect } from 'chai';
import type { Cluster, ClusterNode } from '../../helpers/cluster.ts';
import { browserCall, ownPage, signIn } from '../../plugins/console/browser-call.ts';

interface Made {
  readonly key: string;
  readonly key_id: string;
  readonly url: string;
}

/** Tests that sessions of the console live and end at all servers. */
export function testSessions(shared: () => Cluster): void {
  describe('sessions of the console at two servers', function () {
    this.timeout(180_000);
    let cluster: Cluster;
    let nodes: readonly [ClusterNode, ClusterNode];
    before(() => {
      cluster = shared();
      nodes = cluster.nodes.slice(0, 2) as unknown as typeof nodes;
    });

    const session = async (node: ClusterNode, cookie: string, method = 'GET') =>
      (await browserCall(`${node.url}/console/session`, { method, headers: { ...ownPage, cookie } })).status;
    const both = (cookie: string) => Promise.all(nodes.map((node) => session(node, cookie)));

    it('live and end at both of them: by signing out, and with their key', async () => {
      const [a, b] = nodes;
      const { body: key } = await cluster.call<Made>(a, 'POST', '/keys', { body: { scopes: ['runs:read'] } });
      const [one, other] = [await signIn(a.url, key.key), await signIn(b.url, key.key)];
      expect([await both(one), await both(other)]).to.deep.equal([
        [200, 200],
        [200, 200],
      ]);
      expect(await session(b, one, 'DELETE')).to.equal(204);
      expect([await both(one), await both(other)]).to.deep.equal([
        [401, 401],
        [200, 200],
      ]);
      expect((await cluster.call(a, 'DELETE', `/keys/${key.key_id}`)).status).to.equal(204);
      expect(await both(other)).to.deep.equal([401, 401]);
    });

    it('begin once by a link, at whichever of them it is opened', async () => {
      for (let round = 0; round < 5; round++) {
        const [one] = round % 2 === 0 ? nodes : [nodes[1]];
        const { body, status } = await cluster.call<Made>(one, 'POST', '/console/links');
        expect(status).to.equal(201);
        const link = body.url.split('#link=')[1];
        const opened = await Promise.all(
          [...nodes, ...nodes].map(({ url }) =>
            browserCall(`${url}/console/session`, { method: 'POST', body: { link } }),
          ),
        );
        expect(opened.map(({ status: code }) => code).sort()).to.deep.equal([201, 401, 401, 401]);
        const [cookie = ''] = opened.flatMap((answer) => answer.cookie?.split(';')[0] ?? []);
        expect(await both(cookie)).to.deep.equal([200, 200]);
      }
    });
  });
}
