import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type pg from 'pg';
import { ConfigError } from '../../../../kernel/error.ts';
import { whileOthersWait } from '../../../../plugins/postgres/tables/migration.ts';
import { openIdentity } from '../../../../plugins/postgres/tables/identity.ts';
import { Lease } from '../../../../plugins/postgres/cluster/lease.ts';
import { leftByOthers } from '../../../../plugins/postgres/cluster/members.ts';
import type { NodeHead } from '../../../../plugins/postgres/cluster/node.ts';
import { openSession, type Session } from '../../../../plugins/postgres/connection/session.ts';
import { takeDatabase } from '../../../../plugins/postgres/cluster/taking.ts';
import { LeaseEnd } from '../../../../plugins/postgres/memory/lease-end.ts';
import type { Asker } from '../../../../plugins/postgres/cluster/watched.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { rejection } from '../../../helpers/stores/open.ts';
import { noted } from '../../../helpers/engine-events.ts';
import { until } from '../../../helpers/until.ts';

const times = { holdMs: 600, renewMs: 100 };

describe('the lease of a database', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let admin: pg.Client;
  const sessions: Session[] = [];
  const leases: Lease[] = [];
  let count = 0;

  before(async () => {
    admin = await server.client('leases');
    const session = await open();
    const identity = { masterKey: Buffer.alloc(32), now: 0, newInstallation: () => 'ins_1' };
    await whileOthersWait(session, () => openIdentity(session, identity));
  });
  afterEach(async () => {
    await Promise.all(leases.splice(0).map((lease) => lease.leave()));
    await Promise.all(sessions.splice(0).map((session) => session.close()));
    await admin?.query('DELETE FROM kernel_nodes; DELETE FROM kernel_ended');
  });

  const open = async (): Promise<Session> => {
    const session = await openSession(server.address('leases'));
    sessions.push(session);
    return session;
  };
  const asker = (node: string, place = node): Asker => ({ node, place, incarnation: `${node}-${++count}` });
  const take = async (who: Asker, waits: string[] = []): Promise<NodeHead> =>
    (
      await takeDatabase(await open(), who, {
        ...{ times, version: '1.0.0', beside: false },
        say: noted(waits, 'waiting'),
      })
    ).head;
  const hold = (who: Asker, told: string[] = [], openOne: () => Promise<Session> = open): Lease => {
    const lease = new Lease(who, {
      ...{ times, open: openOne },
      say: noted(told, 'away', 'back'),
      onLost: () => void told.push('lost'),
    });
    leases.push(lease);
    return lease;
  };
  const states = async () =>
    (await admin.query<{ node: string; state: string }>('SELECT node, state FROM kernel_nodes ORDER BY node')).rows.map(
      ({ node, state }) => `${node} ${state}`,
    );

  it('is taken at once when nobody has it, and by the next process of the same state dir', async () => {
    const started = performance.now();
    const first = await take(asker('a'));
    const second = await take(asker('a'));
    expect([first.epoch, second.epoch]).to.deep.equal([1, 2]);
    expect(performance.now() - started, 'nothing was waited for').to.be.lessThan(times.holdMs);
  });

  it('is waited for while it is renewed, and taken when its process ended without a word', async () => {
    const a = asker('a');
    await take(a);
    const lease = hold(a);
    const waits: string[] = [];
    let taken = false;
    const waiting = take(asker('b'), waits).then(() => (taken = true));
    await delay(3 * times.holdMs);
    expect(taken, 'b waits').to.equal(false);
    expect(waits, 'it says so once').to.deep.equal(['a']);
    // A process that is killed renews no more, and leaves its row as it is.
    await admin.query(`UPDATE kernel_nodes SET incarnation = 'killed' WHERE node = 'a'`);
    await waiting;
    expect(await states()).to.deep.equal(['a dead', 'b live']);
    await lease.leave();
    expect(await states(), 'who is dead changes nothing').to.deep.equal(['a dead', 'b live']);
  });

  it('taken from processes that did not leave, has them settled by the next process that serves beside others', async () => {
    const ended = ['a', 'b'].map((node) => asker(node));
    for (const { incarnation, node } of ended)
      await admin.query(
        `INSERT INTO kernel_nodes (node, incarnation, place, epoch, state, lease_until, serving)
         VALUES ($1, $2, $1, 1, 'live', 0, 1)`,
        [node, incarnation],
      );
    await take(asker('c'));
    await take(asker('c'));
    expect(await states()).to.deep.equal(['a dead', 'b dead', 'c live']);
    const [, left] = await (await open()).flush(leftByOthers(asker('d')));
    expect(left?.rows.filter(({ node }) => node !== 'c')).to.deep.equal(
      ended.map(({ incarnation, node }) => ({ incarnation, node, clean: 0 })),
    );
  });

  it('is given back by a process that leaves', async () => {
    const a = asker('a');
    await take(a);
    await hold(a).leave();
    const started = performance.now();
    await take(asker('b'));
    expect(performance.now() - started).to.be.lessThan(times.holdMs);
    expect(await states()).to.deep.equal(['a left', 'b live']);
  });

  it('is not taken because it ended long ago: who asks looks on for as long as it holds', async () => {
    await take(asker('a'));
    await admin.query('UPDATE kernel_nodes SET lease_until = 0');
    const started = performance.now();
    await take(asker('b'));
    expect(performance.now() - started).to.be.greaterThan(times.holdMs - times.renewMs);
  });

  it('goes to one of two that wait', async () => {
    await take(asker('a'));
    let taken = 0;
    const both = ['b', 'c'].map((node) => take(asker(node)).then((head) => (taken++, head)));
    const first = await Promise.race(both);
    await delay(times.holdMs / 2);
    expect(taken).to.equal(1);
    expect(await states())
      .to.include(`${first.node} live`)
      .and.to.include('a dead');
    await Promise.all(both);
    expect((await states()).filter((state) => state.endsWith('live'))).to.have.length(1);
  });

  it('refuses a second process of one name that has another state dir', async () => {
    const a = asker('a', 'one');
    await take(a);
    hold(a);
    const refused = await rejection(take(asker('a', 'two')));
    expect(refused).to.be.instanceOf(ConfigError);
    expect(String(refused)).to.include('ORB_NODE: another process');
  });

  it('is renewed on one session while others change its row, whatever isolation the database has', async () => {
    await admin.query('ALTER DATABASE leases SET default_transaction_isolation = serializable');
    const a = asker('a');
    await take(a);
    let opened = 0;
    const told: string[] = [];
    hold(a, told, () => (opened++, openSession(server.address('leases'), 'lease')));
    const other = await server.client('leases');
    for (let round = 0; round < 5; round++) {
      await other.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      await other.query('UPDATE kernel_nodes SET serving = 1 - serving');
      // A renewal is due meanwhile, and waits for the row.
      await delay(1.5 * times.renewMs);
      await other.query('COMMIT');
    }
    await admin.query('ALTER DATABASE leases RESET default_transaction_isolation');
    await delay(times.renewMs);
    expect(opened).to.equal(1);
    // A busy machine may be late with a renewal, and says that it is away.
    expect(told).not.to.include('lost');
  });

  it('tells its holder how far the clock of the machine is from that of the database', async () => {
    const a = asker('a');
    await take(a);
    const told: string[] = [];
    let ahead = 0;
    const lease = new Lease(a, {
      ...{ times, open, wall: () => Date.now() + ahead },
      ...{ onLost: () => undefined, say: noted(told, 'skewed') },
    });
    leases.push(lease);
    for (const [ms, said] of [
      [3000, 'noticed 3'],
      [3_600_000, 'mute 3600'],
      [-5000, 'noticed -5'],
      [0, 'none 0'],
    ] as const) {
      ahead = ms;
      await until(
        () => told.at(-1) ?? '',
        (last) => last === said,
        said,
      );
    }
    expect(told).to.deep.equal(['noticed 3', 'mute 3600', 'noticed -5', 'none 0']);
  });

  it('tells its holder when it may be over, when it holds again, and when it was lost', async () => {
    const a = asker('a');
    await take(a);
    const told: string[] = [];
    let away = true;
    hold(a, told, () => (away ? Promise.reject(new Error('no way')) : open()));
    await until(
      () => told.join(),
      (said) => said === 'over',
      'the end of the lease',
    );
    away = false;
    await until(
      () => told.join(),
      (said) => said === 'over,held',
      'the renewal',
    );
    await take(asker('a'));
    await until(
      () => told.join(),
      (said) => said === 'over,held,lost',
      'the loss',
    );
  });

  it('is over while its process is behind the others, and holds again by the next renewal', async () => {
    const a = asker('a');
    await take(a);
    const end = new LeaseEnd();
    const beside = { isBehind: false, isAsked: false, tick: () => Promise.resolve() };
    const told: string[] = [];
    const lease = new Lease(a, {
      ...{ times, open, beside, end, onLost: () => undefined },
      say: noted(told, 'away', 'back'),
    });
    leases.push(lease);
    expect(end.isOver()).to.equal(false);
    beside.isBehind = true;
    await until(
      () => told.length,
      (count) => count === 1,
      'the end',
    );
    expect(end.isOver(), 'a thread that asks learns it too').to.equal(true);
    beside.isBehind = false;
    await until(
      () => end.isOver(),
      (over) => !over,
      'the renewal',
    );
    expect(told).to.deep.equal(['over', 'held']);
  });

  it('learns while its process is behind that the clock is right again, and that it was lost', async () => {
    const a = asker('a');
    await take(a);
    const told: string[] = [];
    let ahead = 3_600_000;
    const beside = { isBehind: false, isAsked: false, tick: () => Promise.resolve() };
    const lease = new Lease(a, {
      ...{ times, open, beside, wall: () => Date.now() + ahead },
      ...{ onLost: () => void told.push('lost'), say: noted(told, 'skewed') },
    });
    leases.push(lease);
    const tells = (all: string) =>
      until(
        () => told.join(),
        (said) => said === all,
        all,
      );
    await tells('mute 3600');
    beside.isBehind = true;
    ahead = 0;
    await tells('mute 3600,none 0');
    await take(asker('a'));
    await tells('mute 3600,none 0,lost');
  });
});
