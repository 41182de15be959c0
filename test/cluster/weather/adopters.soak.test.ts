import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { expectSound, expectWhole, settle } from './check.ts';
import { beginLoad, soak, type Load } from './load.ts';

const rounds = soak ? 3 : 1;
const names = ['a', 'b', 'c', 'd'];
const pace = soak ? { clients: 40 } : { clients: 16, pauseMs: 1000 };

describe('three nodes that adopt a fourth', function () {
  this.timeout(soak ? 900_000 : 240_000);
  let cluster: Cluster;
  const loads: Load[] = [];
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(names);
  });
  // A round that fails must not leave its calls to the next.
  afterEach(() => Promise.all(loads.map((load) => load.stop())));
  after(() => cluster?.remove());

  const nodeOf = (name: string): ClusterNode =>
    cluster.nodes.find((node) => node.name === name) ?? expect.fail(`no node ${name}`);

  for (let round = 0; round < rounds; round++)
    it('settle each of its runs once, when the one that won is killed half-way', async () => {
      const dead = nodeOf('d');
      const load = await beginLoad(cluster, { prefix: `a${'x'.repeat(round)}`, ...pace });
      loads.push(load);
      // What d sends from here on is never answered: it ends with intents.
      cluster.smtp.misbehaviour.data = 'hang';
      const client = await cluster.postgres.client(cluster.database);
      const intents = async (incarnation: string): Promise<readonly string[]> =>
        (
          await client.query<{ run_id: string }>(
            'SELECT run_id FROM journal_runs WHERE incarnation = $1 ORDER BY run_id',
            [incarnation],
          )
        ).rows.map(({ run_id }) => run_id);
      const { rows } = await client.query<{ incarnation: string }>(
        `SELECT incarnation FROM kernel_nodes WHERE node = 'd'`,
      );
      const incarnation = rows[0]?.incarnation ?? '';
      const left = await until(
        () => intents(incarnation),
        (all) => all.length >= 2,
        'runs that are open',
      );
      await cluster.kill(dead);
      delete cluster.smtp.misbehaviour.data;
      cluster.smtp.drop();
      // Who settles them waits here, half-way: it is the adopter, and has settled nothing yet.
      const holder = await cluster.postgres.client(cluster.database);
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM journal_runs WHERE run_id = $1 FOR UPDATE', [left.at(-1)]);
      const adopter = await until(
        async () =>
          (
            await client.query<{ node: string }>(
              `SELECT own.node FROM kernel_ended AS ended JOIN kernel_nodes AS own ON own.incarnation = ended.adopter
               WHERE ended.incarnation = $1`,
              [incarnation],
            )
          ).rows[0]?.node ?? '',
        (node) => node !== '',
        'the adoption of d',
      );
      await cluster.kill(nodeOf(adopter));
      await holder.query('ROLLBACK');
      const [first] = cluster.nodes.filter(({ up }) => up) as [ClusterNode];
      await until(
        () => intents(incarnation),
        (all) => all.length === 0,
        'the next adopter',
      );
      await load.stop();
      await until(
        async () => (await client.query('SELECT incarnation FROM kernel_ended')).rowCount,
        (count) => count === 0,
        'the end of all adoptions',
      );
      expectWhole(await settle(cluster, first, [load]), `three adopters of ${left.length} intents, ${adopter} killed`);
      for (const name of ['d', adopter]) await cluster.start(nodeOf(name));
      await expectSound(cluster, loads);
    });
});
