import { expect } from 'chai';
import type pg from 'pg';
import type { PlatformError } from '../../../../kernel/error.ts';
import { readStoreAddress } from '../../../../plugins/postgres/connection/address.ts';
import { openBridge } from '../../../../plugins/postgres/reader/bridge.ts';
import type { EngineView } from '../../../../kernel/engine.ts';
import { startRelay } from '../../../helpers/relay.ts';
import { until } from '../../../helpers/until.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { engineModule } from '../../../helpers/postgres.ts';

describe('a connection whose statements answer at once, on PostgreSQL', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let client: pg.Client;
  let bridge: EngineView;
  const addressOf = (url: string) => ({
    ...readStoreAddress(url, { insecure: false, readFile: () => '' }),
    module: engineModule,
  });

  before(async () => {
    client = await server.client('bridge');
    await client.query(
      'CREATE TABLE notes (id text COLLATE "C" PRIMARY KEY, n bigint, size double precision, bytes bytea)',
    );
    await client.query(`INSERT INTO notes VALUES ('a', 1, 0.5, '\\x0102'), ('b', 9007199254740991, NULL, NULL)`);
    // An advisory lock outlives the statement that takes it: each call before the last is refused.
    await client.query(`
      CREATE FUNCTION refuse(code text, times int) RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE refused bigint;
      BEGIN
        SELECT count(*) INTO refused FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
        IF refused >= times THEN
          PERFORM pg_advisory_unlock_all();
          RETURN refused;
        END IF;
        PERFORM pg_advisory_lock(refused + 1);
        RAISE EXCEPTION 'disturbed' USING ERRCODE = code;
      END $$`);
    bridge = openBridge(addressOf(server.url('bridge')));
  });
  after(() => bridge?.close());

  it('answers rows with the values that the columns hold', () => {
    const find = bridge.prepare('SELECT id, n, size, bytes FROM notes WHERE id = ?');
    expect(find.get('a')).to.deep.equal({ id: 'a', n: 1, size: 0.5, bytes: new Uint8Array([1, 2]) });
    expect(find.get('b')).to.deep.equal({ id: 'b', n: 9_007_199_254_740_991, size: null, bytes: null });
    expect(find.get('c')).to.equal(undefined);
    expect(bridge.prepare('SELECT id FROM notes ORDER BY id DESC').all()).to.deep.equal([{ id: 'b' }, { id: 'a' }]);
  });

  it('answers a thousand questions in order', () => {
    const same = bridge.prepare('SELECT CAST(? AS bigint) AS n');
    for (let n = 0; n < 1000; n++) expect(same.get(n)).to.deep.equal({ n });
  });

  it('says which read the database refused, and answers the next', () => {
    expect(() => bridge.prepare('SELECT nothing FROM notes').all()).to.throw(
      'the database refused a read: column "nothing"',
    );
    expect(bridge.prepare('SELECT 1 AS one').get()).to.deep.equal({ one: 1 });
  });

  const refused = (from: EngineView, code: string, times: number): unknown => {
    try {
      return from.prepare('SELECT refuse(?, ?) AS times').get(code, times)?.['times'];
    } catch (error) {
      return (error as PlatformError).code;
    }
  };

  it('repeats a read that another transaction disturbed', () => {
    for (const code of ['40001', '40P01']) expect(refused(bridge, code, 3), code).to.equal(3);
  });

  it('answers 503 to a read that is disturbed again and again, or took too long, and answers the next', () => {
    for (const code of ['40001', '57014', '55P03', '53200']) {
      const own = openBridge(addressOf(server.url('bridge')));
      expect(refused(own, code, 99), code).to.equal('storage_unavailable');
      expect(own.prepare('SELECT 1 AS one').get(), code).to.deep.equal({ one: 1 });
      own.close();
    }
  });

  it('goes on with no snapshot in which a read was refused', () => {
    for (const code of ['40001', '57014']) {
      const held = openBridge(addressOf(server.url('bridge')));
      held.hold();
      for (let read = 0; read < 2; read++) expect(refused(held, code, 1), code).to.equal('storage_unavailable');
      held.close();
    }
  });

  it('asks on a new connection when the old one was ended', async () => {
    const own = bridge.prepare('SELECT pg_backend_pid() AS pid');
    const pid = Number(own.get()?.['pid']);
    await client.query('SELECT pg_terminate_backend($1)', [pid]);
    const next = Number(own.get()?.['pid']);
    expect(next).to.be.greaterThan(0).and.not.equal(pid);
  });

  it('changes nothing, whatever the statement says', () => {
    expect(() => bridge.prepare('DELETE FROM notes').all()).to.throw('read-only transaction');
    const remove = bridge.prepare('DELETE FROM notes');
    for (const verb of ['queue', 'must', 'run'] as const)
      expect(() => remove[verb](), verb).to.throw('a read changes nothing');
  });

  it('sees a snapshot that is held, and does not go on without it', async () => {
    const held = openBridge(addressOf(server.url('bridge')));
    const count = held.prepare('SELECT count(*) AS n FROM notes');
    held.hold();
    await client.query(`INSERT INTO notes (id) VALUES ('later')`);
    expect(count.get()).to.deep.equal({ n: 2 });
    await client.query('SELECT pg_terminate_backend($1)', [
      held.prepare('SELECT pg_backend_pid() AS pid').get()?.['pid'],
    ]);
    expect(() => count.get()).to.throw('the database does not answer');
    expect(() => count.get()).to.throw('the database does not answer');
    held.close();
  });

  it('answers 503 when there is no database', () => {
    const nowhere = openBridge(addressOf('postgres://orb@127.0.0.1:1/none'));
    try {
      nowhere.prepare('SELECT 1 AS one').get();
      expect.fail('a read was answered');
    } catch (error) {
      expect((error as PlatformError).code).to.equal('storage_unavailable');
    } finally {
      nowhere.close();
    }
  });

  it('answers a process that serves from no server that follows another one', async () => {
    const relay = await startRelay(server.socket);
    const standby = await server.standby(relay.port);
    const [serving, looking] = [true, false].map((is) => openBridge(standby.address('bridge'), { serving: is })) as [
      EngineView,
      EngineView,
    ];
    const answer = (from: EngineView): unknown => refused(from, '', 0);
    try {
      expect([answer(serving), answer(looking)]).to.deep.equal(['storage_unavailable', 0]);
      await standby.promote();
      await until(
        () => answer(serving),
        (times) => times === 0,
        'the server that took its place',
      );
    } finally {
      for (const one of [serving, looking]) one.close();
      await standby.stop();
      await relay.close();
    }
  });
});
