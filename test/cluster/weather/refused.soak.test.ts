import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { startRelay } from '../../helpers/relay.ts';
import { createServed } from '../../helpers/served.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { callOf } from './load.ts';

interface Row {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly says: RegExp;
}

describe('a node that does not fit its cluster', function () {
  this.timeout(240_000);
  let cluster: Cluster;
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(['a']);
  });
  after(() => cluster?.remove());

  const url = (): string => cluster.postgres.url(cluster.database);
  const key = { ORB_MASTER_KEY: 'cd'.repeat(32), ORB_NODE: 'b' };
  const rows = (): readonly Row[] => [
    {
      name: 'has another master key',
      env: { ...key, ORB_STORE_URL: url(), ORB_MASTER_KEY: 'ab'.repeat(32) },
      says: /ORB_MASTER_KEY: .*key/,
    },
    { name: 'has no master key', env: { ORB_STORE_URL: url(), ORB_NODE: 'b' }, says: /ORB_MASTER_KEY: must be set/ },
    {
      name: 'has the name of another, which lives',
      env: { ...key, ORB_STORE_URL: url(), ORB_NODE: 'a' },
      says: /ORB_NODE: another process, with another state dir, runs as a/,
    },
    {
      name: 'has its database on another machine, without TLS',
      env: { ...key, ORB_STORE_URL: 'postgres://orb:hidden-word@db.example:5432/orb?sslmode=disable' },
      says: /ORB_STORE_URL: a store on another machine needs sslmode=verify-full/,
    },
    {
      name: 'names a database that is not there',
      env: { ...key, ORB_STORE_URL: cluster.postgres.url('nowhere') },
      says: /ORB_STORE_URL: .* cannot be opened: database "nowhere" does not exist/,
    },
  ];

  it('ends with 78 and says what to do; the others serve on', async () => {
    for (const { env, name, says } of rows()) {
      const served = createServed({ store: { several_nodes: true } }, { env });
      try {
        const said = await served.start().catch((error: unknown) => String(error));
        expect(said, name)
          .to.match(/^Error: orb serve ended with 78/)
          .and.match(says)
          .and.not.contain('hidden-word');
        console.log(`      ${name}: 78`);
      } finally {
        await served.remove();
      }
    }
    const [node] = cluster.nodes;
    if (node === undefined) throw new Error('one node was started');
    expect((await callOf(cluster, node, { token: 'on', kind: 'mail' })).status).to.equal(200);
  });

  it('ends with 78 when its state dir is of another installation, and serves that one again', async () => {
    const other = cluster.postgres.url('other');
    await cluster.postgres.client('other');
    const env = { ...key, ORB_STORE_URL: other };
    const served = createServed({ store: { several_nodes: true } }, { env });
    try {
      await served.start();
      await served.stop();
      env.ORB_STORE_URL = url();
      expect(await served.start().catch((error: unknown) => String(error)))
        .to.match(/^Error: orb serve ended with 78/)
        .and.match(/this state dir belongs to .*use the state dir of this store/);
      env.ORB_STORE_URL = other;
      await served.start();
    } finally {
      await served.remove();
    }
  });

  it('ends with 78 when the database names a newer program than its own; who serves on serves on', async () => {
    const client = await cluster.postgres.client(cluster.database);
    const served = createServed({ store: { several_nodes: true } }, { env: { ...key, ORB_STORE_URL: url() } });
    await client.query(`UPDATE kernel_installation SET min_program = '99.0.0'`);
    try {
      expect(await served.start().catch((error: unknown) => String(error)))
        .to.match(/^Error: orb serve ended with 78/)
        .and.match(/99\.0\.0/);
      const [node] = cluster.nodes as [ClusterNode];
      expect((await callOf(cluster, node, { token: 'old', kind: 'mail' })).status).to.equal(200);
    } finally {
      await client.query(`UPDATE kernel_installation SET min_program = ''`);
      await served.remove();
    }
  });

  it('ends when its database does not answer within 30 s', async () => {
    const relay = await startRelay(cluster.postgres.socket);
    relay.set('deaf');
    const env = { ...key, ORB_STORE_URL: `postgres://orb@127.0.0.1:${relay.port}/${cluster.database}` };
    const served = createServed({ store: { several_nodes: true } }, { env });
    try {
      const said = await served.start().catch((error: unknown) => String(error));
      expect(said).to.match(/does not answer/);
    } finally {
      await served.remove();
      await relay.close();
    }
  });
});
