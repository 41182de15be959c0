import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { operation } from '../../../../kernel/index.ts';
import { openStore, type OpenStore } from '../../../../kernel/store/serving/store.ts';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import type { Standby } from '../../../helpers/postgres.ts';
import { startRelay, type Relay } from '../../../helpers/relay.ts';
import { shelf } from '../../../helpers/stores/shelf.ts';
import { until } from '../../../helpers/until.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { engineModule } from '../../../helpers/postgres.ts';

const list = new URL('../../../helpers/stores/shelf.ts', import.meta.url).href;
const masterKey = randomBytes(32).toString('hex');

describe('a node whose writer still waits for the former primary of its database', function () {
  this.timeout(60_000);
  const server = usePostgres();
  const folders: string[] = [];
  const stores: OpenStore[] = [];
  let standby: Standby;
  let balancer: Relay;
  let between: Relay;
  let holder: pg.Client | undefined;

  after(async () => {
    await holder?.end().catch(() => undefined);
    for (const store of stores) await store.close().catch(() => undefined);
    await standby?.stop();
    for (const relay of [balancer, between]) await relay?.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  async function open(node: string, port: number, secret: string): Promise<OpenStore> {
    const stateDir = mkdtempSync(join(tmpdir(), 'orb-learned-'));
    folders.push(stateDir);
    const connect = { host: '127.0.0.1', port, user: 'orb', database: 'orb', ssl: false } as const;
    const address = { module: engineModule, connect, shown: 'postgres:///orb' };
    const store = await openStore({
      ...{ stateDir, node, masterKey: secret, list, beside: true },
      ...{ address, modules: [{ module: shelf }] },
      ...{ version: '1.0.0', clock: systemClock, log: silentLog },
    });
    stores.push(store);
    return store;
  }

  it('reads what another node has changed from the server where it learned of the change', async () => {
    const primary = await server.client('orb');
    between = await startRelay(server.socket);
    balancer = await startRelay(server.socket);
    standby = await server.standby(between.port);
    const store = await open('a', balancer.port, masterKey);
    const found: (readonly number[])[] = [];
    store.peers.follow('shelf', async () => void found.push(await store.awaitedReads(shelf).ids()));
    await store.begin();
    const other = await open('b', balancer.port, masterKey);
    await other.begin();
    await store.write([operation(shelf, 'insert', 1)]);
    expect(await store.awaitedReads(shelf).ids()).to.deep.equal([1]);
    await until(
      () => primary.query('SELECT replay_lsn = pg_current_wal_lsn() AS done FROM pg_stat_replication'),
      ({ rows }) => (rows[0] as { done?: boolean } | undefined)?.done === true,
      'the standby',
    );
    // The writer of this node waits for a lock of the former primary, which keeps its connections and takes no writes.
    holder = await server.client('orb');
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE shelf_row IN EXCLUSIVE MODE');
    const waiting = store.write([operation(shelf, 'insert', 2)]).catch(() => undefined);
    await until(
      () => primary.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`),
      ({ rowCount }) => rowCount === 1,
      'the write that waits',
    );
    await primary.query('ALTER SYSTEM SET default_transaction_read_only = on');
    balancer.lead(standby.socket);
    await primary.query('SELECT pg_reload_conf()');
    await standby.promote();
    await other.write([operation(shelf, 'tell', { id: 3, topic: 'shelf' })]);
    await other.peers.everywhere();
    expect(found.at(-1)).to.include(3);
    await holder.end();
    await waiting;
  });
});
