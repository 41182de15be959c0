import { expect } from 'chai';
import { mailOf, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';

interface Problem {
  readonly code?: string;
  readonly manifest?: object;
}

const orbId = 'notify.twice@1.0.0';

/** Tests that what is put at one server is served and removed at all. */
export function testManifests(shared: () => Cluster): void {
  describe('what is put at one of three servers', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let nodes: readonly [ClusterNode, ClusterNode, ClusterNode];
    before(() => {
      cluster = shared();
      nodes = cluster.nodes as typeof nodes;
    });

    const execute = (node: ClusterNode, orbiset: string, body: object, headers = {}) =>
      cluster.call<Problem>(node, 'POST', `/orbisets/${orbiset}/execute`, { body, headers });

    it('is served at the others when it answers, and gone from them when its removal does: an Orbiset', async () => {
      const [a, b, c] = nodes;
      const made = await cluster.call<Problem>(a, 'POST', '/orbisets', { body: { id: 'mails', orbs: ['notify.*'] } });
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
      for (const node of [b, c]) {
        const { status, body } = await execute(node, 'mails', mailOf(`set-${node.name}`));
        expect(status, JSON.stringify(body)).to.equal(200);
      }
      expect((await cluster.call(b, 'DELETE', '/orbisets/mails')).status).to.equal(204);
      for (const node of nodes) expect((await execute(node, 'mails', mailOf('none'))).status, node.name).to.equal(404);
    });

    it('and so an Orb, with its providers; it is not removed while one of its runs waits at another', async () => {
      const [a, b, c] = nodes;
      const { body: shown } = await cluster.call<{ orb_id: string } & Record<string, unknown>>(
        a,
        'GET',
        '/orbs/notify.email@1.0.0',
      );
      const manifest = { ...(shown['manifest'] as object), orb_id: orbId };
      const put = await cluster.call<Problem>(a, 'PUT', `/orbs/${orbId}`, { body: manifest });
      expect(put.status, JSON.stringify(put.body)).to.equal(201);
      for (const node of nodes) {
        const { status, body } = await execute(node, 'default', { ...mailOf(`orb-${node.name}`), orb_id: orbId });
        expect(status, JSON.stringify(body)).to.equal(200);
      }
      const run_at = new Date(Date.now() + 3_600_000).toISOString();
      const later = { ...mailOf('later'), orb_id: orbId, mode: 'async', run_at };
      const waiting = await cluster.call<{ run_id: string }>(b, 'POST', '/orbisets/default/execute', { body: later });
      expect(waiting.status, JSON.stringify(waiting.body)).to.equal(202);
      const refused = await cluster.call<Problem>(c, 'DELETE', `/orbs/${orbId}`);
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'runs_open']);
      // It has no node yet: each of them may end it.
      expect((await cluster.call(c, 'POST', `/runs/${waiting.body.run_id}/cancel`)).status).to.equal(200);
      expect((await cluster.call(c, 'DELETE', `/orbs/${orbId}`)).status).to.equal(204);
      for (const node of nodes)
        expect((await execute(node, 'default', { ...mailOf('gone'), orb_id: orbId })).status, node.name).to.equal(404);
    });
  });
}
