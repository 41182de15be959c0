import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';

interface MadeKey {
  readonly key: string;
  readonly key_id: string;
}

describe('a node that is paused while another one revokes a key', function () {
  this.timeout(240_000);
  let cluster: Cluster;
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(['a', 'b']);
  });
  after(() => cluster?.remove());

  it('makes nothing with that key once it was answered that it is revoked', async () => {
    const [a, b] = cluster.nodes as [ClusterNode, ClusterNode];
    const client = await cluster.postgres.client(cluster.database);
    const shown = async (sql: string): Promise<string> => {
      const { rows } = await client.query<{ shown: string }>(sql);
      return rows[0]?.shown ?? '';
    };
    const body = { scopes: ['keys:manage', 'runs:read'] };
    const { body: made, status } = await cluster.call<MadeKey>(a, 'POST', '/keys', { body });
    expect(status, JSON.stringify(made)).to.equal(201);
    b.served.signal('SIGSTOP');
    await until(
      () =>
        shown(`SELECT CASE WHEN lease_until < EXTRACT(EPOCH FROM clock_timestamp()) * 1000 THEN 'over' END AS shown
                   FROM kernel_nodes WHERE node = 'b'`),
      (lease) => lease === 'over',
      'the end of the lease',
    );
    expect((await cluster.call(a, 'DELETE', `/keys/${made.key_id}`)).status).to.equal(204);
    expect(await shown(`SELECT state AS shown FROM kernel_nodes WHERE node = 'b'`), 'nothing of it counts').to.equal(
      'dead',
    );
    const keys = await shown('SELECT CAST(count(*) AS text) AS shown FROM api_keys_keys');
    b.served.signal('SIGCONT');
    const headers = { authorization: `Bearer ${made.key}` };
    const used = await cluster.callOnce(b, 'POST', '/keys', { body: { scopes: ['runs:read'] }, headers });
    expect([0, 401, 503]).to.include(used.status);
    expect(await shown('SELECT CAST(count(*) AS text) AS shown FROM api_keys_keys')).to.equal(keys);
  });
});
