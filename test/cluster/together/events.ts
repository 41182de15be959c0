import { expect } from 'chai';
import { mailOf, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { listen, type Client } from '../../plugins/runtime/events/client.ts';
import { until } from '../../helpers/until.ts';

/** Tests that the events of all servers are heard at one, and at another when it is killed. */
export function testEvents(shared: () => Cluster): void {
  describe('events of several servers', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let client: Client | undefined;
    let at: ClusterNode;
    before(() => {
      cluster = shared();
    });
    after(() => client?.close());

    const told = (): string[] => (client?.heard ?? []).map(({ data }) => String(data.id));

    /** Runs at each server in turn; answers the receipts, which are the ids of the events. */
    async function run(count: number, prefix: string): Promise<readonly string[]> {
      const ids: string[] = [];
      const living = cluster.nodes.filter(({ up }) => up);
      for (let n = 0; n < count; n++) {
        const node = living[n % living.length] ?? expect.fail('none lives');
        const sent = { body: mailOf(`${prefix}${n}`) };
        type Ran = { readonly receipt: { readonly receipt_id: string } };
        const { status, body } = await cluster.call<Ran>(node, 'POST', '/orbisets/default/execute', sent);
        expect(status, JSON.stringify(body)).to.equal(200);
        ids.push(body.receipt.receipt_id);
      }
      return ids;
    }

    it('are heard at one of them, and at another after it was killed: each once', async () => {
      const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
      at = first;
      client = listen(() => `${at.url}/events?types=run.*`, cluster.key);
      await client.opened();
      const before = await run(12, 'before');
      await until(told, (ids) => before.every((id) => ids.includes(id)), 'the events of all servers');
      at = second;
      await cluster.kill(first);
      const after = await run(12, 'after');
      const ids = await until(told, (found) => after.every((id) => found.includes(id)), 'those behind the kill');
      expect(new Set(ids).size, 'nothing twice').to.equal(ids.length);
      expect(new Set(ids)).to.deep.equal(new Set([...before, ...after]));
      expect(client.heard.some(({ type }) => type === 'gap')).to.equal(false);
    });
  });
}
