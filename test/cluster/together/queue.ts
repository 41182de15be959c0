import { expect } from 'chai';
import { mailOf, type Cluster, type ClusterNode, type ShownRun } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';

// More than are under way at once: the others are claimed, and wait.
const runs = 12;

interface Problem extends ShownRun {
  readonly code?: string;
}

/** Tests that runs which wait at one server are awaited and cancelled at others. */
export function testQueue(shared: () => Cluster): void {
  describe('runs that wait at one of several servers', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let nodes: readonly [ClusterNode, ClusterNode];
    before(() => {
      cluster = shared();
      nodes = cluster.nodes.filter(({ up }) => up).slice(0, 2) as unknown as typeof nodes;
    });

    const enqueue = async (node: ClusterNode, token: string): Promise<string> => {
      const sent = { body: mailOf(token), headers: { prefer: 'respond-async' } };
      const { status, body } = await cluster.call<Problem>(node, 'POST', '/orbisets/default/execute', sent);
      expect(status, JSON.stringify(body)).to.equal(202);
      return body.run_id;
    };
    const cancel = (node: ClusterNode, runId: string) => cluster.call<Problem>(node, 'POST', `/runs/${runId}/cancel`);
    const show = async (node: ClusterNode, runId: string, wait = 0): Promise<ShownRun> =>
      (await cluster.call<ShownRun>(node, 'GET', `/runs/${runId}?wait=${wait}`)).body;

    it('are awaited at another, which answers when they have ended', async () => {
      const [a, b] = nodes;
      const runId = await enqueue(a, 'awaited');
      expect(await show(b, runId, 30)).to.include({ status: 'completed' });
      expect(cluster.mails('awaited')).to.equal(1);
    });

    it('are cancelled at another unless they were dispatched', async () => {
      const [a, b] = nodes;
      cluster.smtp.misbehaviour.data = 'hang';
      const ids: string[] = [];
      for (let n = 0; n < runs; n++) ids.push(await enqueue(a, `held${n}`));
      const [first = '', last = ''] = [ids[0], ids.at(-1)];
      const client = await cluster.postgres.client(cluster.database);
      // Each that is dispatched has its intent.
      await until(
        async () => (await client.query('SELECT run_id FROM journal_runs')).rowCount,
        (count) => count === 8,
        'calls under way',
      );
      // Dispatched are those that came first.
      await until(
        async () => cancel(b, first),
        ({ status, body }) => {
          expect(status, JSON.stringify(body)).to.equal(409);
          return body.code === 'run_dispatched';
        },
        'the refusal',
      );
      const { status, body } = await cancel(b, last);
      expect([status, body.status], JSON.stringify(body)).to.deep.equal([200, 'cancelled']);
      expect(await show(a, last)).to.include({ status: 'cancelled' });
      delete cluster.smtp.misbehaviour.data;
      expect(cluster.mails(`held${runs - 1}`)).to.equal(0);
    });
  });
}
