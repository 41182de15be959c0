import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { readCheckpoint } from '../../../plugins/receipts/log/pure/note.ts';
import { startCluster, type Cluster, type ClusterNode } from '../../helpers/cluster.ts';
import type { Standby } from '../../helpers/postgres.ts';
import { startRelay, type Relay } from '../../helpers/relay.ts';
import { until } from '../../helpers/until.ts';
import { needPostgres } from '../../helpers/use-postgres.ts';
import { expectSound, expectWhole, settle } from './check.ts';
import { beginLoad, soak, untilServed, type Load } from './load.ts';
import { incarnationsOf } from './nodes.ts';

const rounds = soak ? 10 : 1;

interface Shard {
  readonly origin: string;
  readonly node?: string;
  readonly size: number;
  readonly status: string;
}

interface Incident {
  readonly incident_id: string;
  readonly title: string;
  readonly severity: string;
  readonly state: string;
}

describe('a failover of the database of several nodes', function () {
  this.timeout(240_000);
  let cluster: Cluster;
  /** What lies between the two servers of the database. */
  let between: Relay;
  let standby: Standby;
  beforeEach(async function () {
    needPostgres(this);
    cluster = await startCluster(['a', 'b'], {}, undefined, { relayed: true });
    between = await startRelay(cluster.postgres.socket);
    standby = await cluster.postgres.standby(between.port);
  });
  afterEach(async () => {
    await between?.close();
    await cluster?.remove();
  });

  const primary = async (text: string): Promise<readonly Record<string, unknown>[]> => {
    const client = await cluster.postgres.client(cluster.database);
    const { rows } = await client.query<Record<string, unknown>>(text);
    await client.end();
    return rows;
  };
  const replicated = (state: string): Promise<unknown> =>
    until(
      () => primary('SELECT state, sync_state FROM pg_stat_replication'),
      ([row]) => row?.['state'] === 'streaming' && row['sync_state'] === state,
      'the standby',
    );
  const failOver = async (): Promise<void> => {
    await cluster.postgres.kill();
    cluster.lead(standby);
    // The nodes meet a server that only reads.
    await delay(1000);
    await standby.promote();
  };

  /** Lets calls be made that the standby does not have. */
  const loseRuns = async (): Promise<Load> => {
    await replicated('async');
    const load = await beginLoad(cluster, { prefix: 'z' });
    between.set('cut');
    const kept = load.told.length;
    await until(
      () => load.told.length,
      (count) => count >= kept + 40,
      'runs that will be lost',
    );
    return load;
  };
  /** Starts the nodes on the older database, and expects that it is whole and no index of a log was given twice. */
  const goOn = async (old: readonly Shard[], what: string): Promise<void> => {
    for (const node of cluster.nodes) await cluster.start(node);
    const after = await beginLoad(cluster, { prefix: 'x' });
    await delay(1000);
    await after.stop();
    const [first] = cluster.nodes as [ClusterNode];
    expectWhole(await settle(cluster, first, [after]), what);
    const lost = await expectBranched(cluster, standby, old);
    await expectIncidents(cluster, lost);
    await expectSound(cluster, [after]);
    console.log(`      ${lost} entries lost, as the new shards say`);
  };

  for (let round = 0; round < rounds; round++)
    it('to a synchronous standby loses nothing, and nobody is adopted', async () => {
      await primary(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await primary('SELECT pg_reload_conf()');
      await replicated('sync');
      const load = await beginLoad(cluster, { prefix: 'y' });
      const before = await incarnationsOf(cluster);
      await failOver();
      await untilServed(load);
      await load.stop();
      expect(await incarnationsOf({ ...cluster, postgres: standby })).to.deep.equal(before);
      const [first] = cluster.nodes as [ClusterNode];
      expectWhole(await settle(cluster, first, [load]), 'synchronous');
      await expectSound(cluster, [load]);
    });

  for (let round = 0; round < rounds; round++)
    it('to one that was behind is noticed at once: the log branches, and its new shard shows what is lost', async () => {
      const load = await loseRuns();
      const old = await shardsOf(cluster);
      // The state dirs have the last checkpoint a second later at most.
      await until(
        () => cluster.nodes.map(copiedSize),
        (sizes) =>
          sizes.every((size, at) => size >= (old.find(({ node }) => node === cluster.nodes[at]?.name)?.size ?? 0)),
        'the copies of the checkpoints',
      );
      const failedOver = performance.now();
      await failOver();
      for (const node of cluster.nodes) {
        await node.served.exited();
        node.up = false;
        expect(await node.served.stop(), 'EX_TEMPFAIL').to.equal(75);
      }
      const noticedMs = Math.round(performance.now() - failedOver);
      await load.stop();
      await goOn(old, `asynchronous, noticed within ${noticedMs} ms; afterwards`);
    });

  it('to an older copy, while no node runs, is refused with 78 until the state dirs are marked: then the log branches', async () => {
    const load = await loseRuns();
    await load.stop();
    const old = await shardsOf(cluster);
    for (const { served } of cluster.nodes) expect(await served.stop()).to.equal(0);
    await failOver();
    for (const { served } of cluster.nodes) {
      const said = await served.start().catch((error: unknown) => String(error));
      expect(said)
        .to.match(/^Error: orb serve ended with 78/)
        .and.match(/an older state was restored; the server signs nothing.*an empty file `restored` in the state dir/);
      writeFileSync(join(served.stateDir, 'restored'), '');
    }
    await goOn(old, 'restored; afterwards');
  });
});

/** Expects that incidents of integrity tell of all that is lost, and that a person can resolve them. */
async function expectIncidents(cluster: Cluster, lost: number): Promise<void> {
  const [first] = cluster.nodes as [ClusterNode];
  const list = async () =>
    (await cluster.call<{ incidents: readonly Incident[] }>(first, 'GET', '/incidents?kind=integrity')).body.incidents;
  const countOf = ({ title }: Incident): number => Number(/^(\d+) entries of \S+ are lost, from /.exec(title)?.[1]);
  const incidents = await until(
    list,
    (found) => found.reduce((sum, one) => sum + countOf(one), 0) === lost,
    'the incidents of what is lost',
  );
  expect(incidents.every(({ severity, state }) => severity === 'critical' && state === 'open')).to.equal(true);
  const path = `/incidents/${incidents[0]?.incident_id}/resolve`;
  const { status, body } = await cluster.call(first, 'POST', path, { body: { reason: 'the callers were told' } });
  expect(status, JSON.stringify(body)).to.equal(200);
}

function copiedSize({ served }: ClusterNode): number {
  return Number(readCheckpoint(readFileSync(join(served.stateDir, 'checkpoint'), 'utf8'))?.checkpoint.size);
}

async function shardsOf(cluster: Cluster): Promise<readonly Shard[]> {
  const [first] = cluster.nodes as [ClusterNode];
  return (await cluster.call<{ shards: readonly Shard[] }>(first, 'GET', '/log/shards')).body.shards;
}

/** Throws unless no index was given twice: each shard that lost entries is frozen, and another shows how long it was. */
async function expectBranched(cluster: Cluster, { client }: Standby, old: readonly Shard[]): Promise<number> {
  const now = await shardsOf(cluster);
  const database = await client(cluster.database);
  let lost = 0;
  for (const { node, origin, size } of old) {
    const left = now.find((shard) => shard.origin === origin);
    expect(left?.status, origin).to.equal('frozen');
    expect(left?.size, origin).to.be.at.most(size);
    const successor = now.find((shard) => shard.node === node && shard.status === 'active');
    const { rows } = await database.query<{ payload: Buffer }>(
      'SELECT payload FROM receipts_receipts WHERE origin = $1 AND idx = 0',
      [successor?.origin],
    );
    const { predicate } = JSON.parse(rows[0]?.payload.toString() ?? '{}') as {
      predicate: { facts: { previous_checkpoint: string } };
    };
    const seen = readCheckpoint(predicate.facts.previous_checkpoint)?.checkpoint;
    expect(seen?.origin).to.equal(origin);
    expect(Number(seen?.size), 'the size that was signed').to.be.at.least(size);
    lost += Number(seen?.size) - (left?.size ?? 0);
  }
  await database.end();
  expect(lost).to.be.greaterThan(0);
  return lost;
}
