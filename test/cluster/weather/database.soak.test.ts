import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type pg from 'pg';
import { severalNodes, startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import { until } from '../../helpers/until.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { expectSound, expectWhole, settle } from './check.ts';
import { beginLoad, soak, untilServed, type Load } from './load.ts';
import { incarnationsOf } from './nodes.ts';

// Longer than a lease.
const awayMs = soak ? 30_000 : 12_000;
const connections = 40;

describe('the database of several nodes', function () {
  this.timeout(soak ? 1_200_000 : 180_000);
  let cluster: Cluster;
  let first: ClusterNode;
  const loads: Load[] = [];
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(severalNodes, {}, undefined, { relayed: true, durable: true, connections });
    [first] = cluster.nodes as [ClusterNode];
  });
  after(() => cluster?.remove());

  const under = async (prefix: string, fault: (load: Load) => Promise<void>): Promise<Load> => {
    const before = await incarnationsOf(cluster);
    const load = await beginLoad(cluster, { prefix });
    loads.push(load);
    await fault(load);
    await untilServed(load);
    await load.stop();
    expect(await incarnationsOf(cluster), 'nobody is adopted').to.deep.equal(before);
    return load;
  };

  it('is restarted three times without a word: nothing is lost or doubled, and nobody is adopted', async () => {
    const load = await under('i', async (load) => {
      for (let time = 0; time < 3; time++) {
        await cluster.postgres.restart();
        await untilServed(load);
      }
    });
    expectWhole(await settle(cluster, first, [load]), 'restarted × 3');
  });

  it(`is away for ${awayMs / 1000} s: all nodes fall silent, and go on when it is back`, async () => {
    const load = await under('w', () =>
      cluster.postgres.restart(async () => {
        await delay(awayMs - 2000);
        for (const node of cluster.nodes)
          expect((await cluster.call(node, 'GET', '/health/ready')).status, node.name).to.equal(503);
        await delay(2000);
      }),
    );
    expectWhole(await settle(cluster, first, [load]), `away for ${awayMs / 1000} s`);
  });

  it('takes no more connections: who lost his waits for one', async () => {
    const load = await under('n', async () => {
      for (const { relay } of cluster.nodes) relay.set('refusing');
      const taken: pg.Client[] = [];
      const full = await until(
        async () => {
          try {
            taken.push(await cluster.postgres.client(cluster.database));
          } catch (error) {
            return (error as { readonly code?: string }).code;
          }
        },
        (code) => code !== undefined,
        'the last connection',
        0,
      );
      expect(full).to.equal('53300');
      for (const { relay } of cluster.nodes) relay.set('open');
      await delay(7000);
      await Promise.all(taken.map((client) => client.end()));
    });
    expectWhole(await settle(cluster, first, [load]), 'too many connections');
  });

  it('has a full disk: calls are refused with 503, and what was sent has its receipt once there is room', async () => {
    const client = await cluster.postgres.client(cluster.database);
    await client.query(`
      CREATE TABLE weather_full (one INTEGER);
      CREATE FUNCTION weather_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF EXISTS (SELECT 1 FROM weather_full) THEN
            RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
          END IF;
          RETURN NULL;
        END $$;
      CREATE TRIGGER weather_full BEFORE INSERT ON receipts_entries
        FOR EACH STATEMENT EXECUTE FUNCTION weather_refuse();`);
    const load = await under('f', async (load) => {
      const refused = load.answers[503] ?? 0;
      await client.query('INSERT INTO weather_full (one) VALUES (1)');
      await delay(3000);
      await client.query('DELETE FROM weather_full');
      expect(load.answers[503] ?? 0).to.be.greaterThan(refused);
    });
    await until(
      async () => (await client.query('SELECT run_id FROM journal_runs')).rowCount,
      (count) => count === 0,
      'the receipts of all runs',
    );
    const figures = await settle(cluster, first, [load]);
    expectWhole(figures, 'a full disk');
    expect(figures.ended).to.not.have.property('indeterminate');
    console.log(`      ${(await expectSound(cluster, loads)).length} shards`);
  });
});
