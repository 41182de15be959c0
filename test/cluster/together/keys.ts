import { expect } from 'chai';
import { mailOf, type Cluster, type ShownRun } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';

const keys = process.env['CLUSTER_SOAK'] === '1' ? 100 : 40;

interface Problem extends ShownRun {
  readonly code?: string;
}

/** Tests that a key that is sent to all servers at once is one run. */
export function testKeys(shared: () => Cluster): void {
  describe('one key at several servers at once', function () {
    this.timeout(300_000);
    let cluster: Cluster;
    before(() => {
      cluster = shared();
    });

    const execute = (at: number, token: string, prefer?: string) => {
      const node = cluster.nodes[at % cluster.nodes.length] ?? expect.fail('no node');
      const headers = { 'idempotency-key': `key-${token}`, ...(prefer === undefined ? {} : { prefer }) };
      return cluster.call<Problem>(node, 'POST', '/orbisets/default/execute', { body: mailOf(token), headers });
    };

    it(`is one run with one receipt and one mail; the others get its answer or 409 (${keys} times)`, async () => {
      const told = { first: 0, replayed: 0, refused: 0 };
      for (let n = 0; n < keys; n += 10)
        await Promise.all(
          Array.from({ length: 10 }, async (_, one) => {
            const token = `k${n + one}`;
            const answers = await Promise.all([0, 1, 2].map((at) => execute(n + one + at, token)));
            const runs = new Set<string>();
            for (const { status, body, headers } of answers) {
              expect([200, 409], JSON.stringify(body)).to.include(status);
              if (status === 409) expect(body.code).to.equal('idempotency_in_progress');
              if (status === 200) runs.add(body.run_id);
              const again = headers.get('idempotent-replayed') === 'true';
              told[status === 409 ? 'refused' : again ? 'replayed' : 'first'] += 1;
            }
            expect(runs.size, token).to.equal(1);
            expect(cluster.mails(token), token).to.equal(1);
          }),
        );
      console.log(`      ${JSON.stringify(told)}`);
      expect(told.first).to.equal(keys);
    });

    it('is one run in the queue, whose answer each of them has in the end', async () => {
      const answers = await Promise.all([0, 1, 2].map((at) => execute(at, 'queued', 'respond-async')));
      const given = new Set(answers.flatMap(({ status, body }) => (status === 409 ? [] : [body.run_id])));
      expect(given.size).to.equal(1);
      for (const at of [0, 1, 2]) {
        const { body } = await until(
          () => execute(at, 'queued', 'respond-async'),
          ({ status }) => status === 200,
          'the answer',
        );
        expect(given.has(body.run_id)).to.equal(true);
      }
      expect(cluster.mails('queued')).to.equal(1);
    });
  });
}
