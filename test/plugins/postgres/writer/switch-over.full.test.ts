import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { operation } from '../../../../kernel/index.ts';
import { GaveUp } from '../../../../kernel/store/contract.ts';
import { openStore, type OpenStore } from '../../../../kernel/store/serving/store.ts';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import type { Standby } from '../../../helpers/postgres.ts';
import { startRelay, type Relay } from '../../../helpers/relay.ts';
import { rejection } from '../../../helpers/stores/open.ts';
import { shelf } from '../../../helpers/stores/shelf.ts';
import { until } from '../../../helpers/until.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { engineModule } from '../../../helpers/postgres.ts';

const list = new URL('../../../helpers/stores/shelf.ts', import.meta.url).href;

describe('a store whose database is switched over while the former primary keeps its connections', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let store: OpenStore;
  let stateDir: string;
  let standby: Standby;
  /** Leads to the database, as a balancer does, and to the primary for its standby. */
  let balancer: Relay;
  let between: Relay;
  let aside: Worker | undefined;

  before(async () => {
    const primary = await server.client('orb');
    between = await startRelay(server.socket);
    balancer = await startRelay(server.socket);
    standby = await server.standby(between.port);
    stateDir = mkdtempSync(join(tmpdir(), 'orb-switch-'));
    const connect = { host: '127.0.0.1', port: balancer.port, user: 'orb', database: 'orb', ssl: false } as const;
    const address = { module: engineModule, connect, shown: 'postgres:///orb' };
    store = await openStore({
      ...{ stateDir, node: 'a', masterKey: randomBytes(32).toString('hex'), list, beside: true },
      ...{ address, modules: [{ module: shelf }] },
      ...{ version: '1.0.0', clock: systemClock, log: silentLog },
    });
    void store.begin();
    await insert(1);
    expect(await read()).to.deep.equal([1]);
    aside = new Worker(new URL('../../../helpers/stores/view-thread.ts', import.meta.url), { workerData: store.place });
    expect(await readAside()).to.deep.equal([1]);
    await until(
      () => primary.query('SELECT replay_lsn = pg_current_wal_lsn() AS done FROM pg_stat_replication'),
      ({ rows }) => (rows[0] as { done?: boolean } | undefined)?.done === true,
      'the standby',
    );
    // The former primary goes on for the connections that it has, and takes no writes.
    await primary.query('ALTER SYSTEM SET default_transaction_read_only = on');
    balancer.lead(standby.socket);
    await primary.query('SELECT pg_reload_conf()');
    await standby.promote();
  });
  after(async () => {
    await aside?.terminate();
    await store?.close();
    await standby?.stop();
    for (const relay of [balancer, between]) await relay?.close();
    rmSync(stateDir, { recursive: true, force: true });
  });

  const insert = (id: number) => store.write([operation(shelf, 'insert', id)]);
  const read = () => store.awaitedReads(shelf).ids();
  const readAside = async (): Promise<unknown> => {
    aside?.postMessage('read');
    return aside === undefined ? undefined : ((await once(aside, 'message')) as [unknown])[0];
  };

  it('reads, while it writes nothing, what another node writes there', async () => {
    const other = await standby.client('orb');
    await until(
      () => other.query('INSERT INTO shelf_row VALUES (2)').catch(() => undefined),
      (done) => done !== undefined,
      'the new primary',
    );
    await until(
      () => read().catch((): number[] => []),
      (ids) => ids.includes(2),
      'the row of the other node',
    );
  });

  it('reads what it has written', async () => {
    await insert(3);
    for (let times = 0; times < 20; times++) expect(await read()).to.include(3);
  });

  it('is not read on the former primary by a thread beside it, such as the auditor', async () => {
    await until(
      readAside,
      (ids) => Array.isArray(ids) && ids.includes(3),
      'what was written, in the other thread',
      200,
    );
  });

  it('lets nobody wait for ever while the database only reads; what waits is done when it writes again', async () => {
    const admin = await standby.client('orb');
    const setReading = async (isOn: 'on' | 'off'): Promise<void> => {
      await admin.query('SET default_transaction_read_only = off');
      await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${isOn}`);
      await admin.query('SELECT pg_reload_conf()');
      // The server reads its configuration later: a new session shows when it has.
      await until(
        async () => {
          const session = await standby.client('orb');
          const { rows } = await session.query<{ is: string }>(
            `SELECT current_setting('default_transaction_read_only') AS is`,
          );
          await session.end();
          return rows[0]?.is;
        },
        (found) => found === isOn,
        `reading only: ${isOn}`,
      );
    };
    await setReading('on');
    const { waits } = store;
    const writing = insert(4);
    expect(await rejection((waits ?? expect.fail()).wait(writing)))
      .to.be.instanceOf(GaveUp)
      .and.include({ code: 'storage_unavailable' });
    expect(store.isAway()).to.equal(true);
    await setReading('off');
    await writing;
    expect(await read()).to.include(4);
  });
});

describe('a store whose address names several servers', function () {
  this.timeout(60_000);
  const server = usePostgres();

  it('is opened on the one that is the primary', async () => {
    await server.client('several');
    const between = await startRelay(server.socket);
    const standby = await server.standby(between.port);
    const stateDir = mkdtempSync(join(tmpdir(), 'orb-several-'));
    const known = server.address('several');
    const others = [{ host: standby.folder }, { host: server.folder }];
    const address = { ...known, connect: { ...known.connect, host: '127.0.0.1', port: 1 }, others };
    const store = await openStore({
      ...{ stateDir, node: 'a', masterKey: randomBytes(32).toString('hex'), list, modules: [{ module: shelf }] },
      address,
      ...{ version: '1.0.0', clock: systemClock, log: silentLog },
    });
    try {
      await store.write([operation(shelf, 'insert', 1)]);
      expect(await store.awaitedReads(shelf).ids()).to.deep.equal([1]);
    } finally {
      await store.close();
      await standby.stop();
      await between.close();
      rmSync(stateDir, { recursive: true, force: true });
    }
  });
});
