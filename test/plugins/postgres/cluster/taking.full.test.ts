import { expect } from 'chai';
import type pg from 'pg';
import { ConfigError } from '../../../../kernel/error.ts';
import { openIdentity } from '../../../../plugins/postgres/tables/identity.ts';
import { Lease } from '../../../../plugins/postgres/cluster/lease.ts';
import { whileOthersWait } from '../../../../plugins/postgres/tables/migration.ts';
import { openSession, type Session } from '../../../../plugins/postgres/connection/session.ts';
import { takeDatabase, type Joined } from '../../../../plugins/postgres/cluster/taking.ts';
import type { Asker } from '../../../../plugins/postgres/cluster/watched.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { noted } from '../../../helpers/engine-events.ts';
import { until } from '../../../helpers/until.ts';

const times = { holdMs: 600, renewMs: 100 };

describe('a process that takes the database', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let admin: pg.Client;
  const sessions: Session[] = [];
  let count = 0;

  before(async () => {
    admin = await server.client('taking');
    const session = await open();
    const identity = { masterKey: Buffer.alloc(32), now: 0, newInstallation: () => 'ins_1' };
    await whileOthersWait(session, () => openIdentity(session, identity));
  });
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close().catch(() => undefined)));
    await admin?.query(
      `DELETE FROM kernel_nodes; DELETE FROM kernel_ended; UPDATE kernel_installation SET min_program = ''`,
    );
  });

  const open = async (): Promise<Session> => {
    const session = await openSession(server.address('taking'));
    sessions.push(session);
    return session;
  };
  const asker = (node: string): Asker => ({ node, place: node, incarnation: `${node}-${++count}` });
  const take = async (who: Asker, beside: boolean, waits: string[] = []): Promise<Joined> =>
    takeDatabase(await open(), who, {
      ...{ times, version: '1.0.0', beside },
      say: noted(waits, 'waiting'),
    });
  const rowsOf = async (sql: string): Promise<readonly string[]> =>
    (await admin.query<{ shown: string }>(sql)).rows.map(({ shown }) => shown);
  const states = () => rowsOf(`SELECT node || ' ' || state AS shown FROM kernel_nodes ORDER BY node`);
  const ended = () => rowsOf(`SELECT node || ' for ' || adopter AS shown FROM kernel_ended ORDER BY node`);

  // What the first process is, how it came to be that, and whether one that starts alone, or beside others, waits for it.
  for (const [what, beside, shown, aloneWaits, besideWaits] of [
    ['serves alone', false, '', true, true],
    ['starts beside others', true, '', true, false],
    ['serves beside others', true, 'UPDATE kernel_nodes SET serving = 1', true, false],
    // Its program knew no other value for one that starts, and for one that serves alone.
    ['was started by an earlier program', true, 'UPDATE kernel_nodes SET serving = 0', true, true],
    ['has the oldest program', true, "UPDATE kernel_nodes SET serving = 1, version = '0.2.0'", true, false],
    // It does not write what a later program reads.
    ['has a program that is too old', true, "UPDATE kernel_nodes SET serving = 1, version = '0.1.9'", true, true],
    ['has a program without a version', true, "UPDATE kernel_nodes SET serving = 1, version = ''", true, true],
  ] as const)
    for (const [how, isBeside, waits] of [
      ['to serve alone', false, aloneWaits],
      ['to serve beside others', true, besideWaits],
    ] as const)
      it(`${how} ${waits ? 'waits for' : 'does not wait for'} one that ${what}`, async () => {
        const first = asker('a');
        await take(first, beside);
        if (shown !== '') await admin.query(shown);
        const waited: string[] = [];
        await take(asker('b'), isBeside, waited);
        expect([waited, await states(), await ended()]).to.deep.equal(
          waits ? [['a'], ['a dead', 'b live'], ['a for ']] : [[], ['a live', 'b live'], []],
        );
        const told: string[] = [];
        const lease = new Lease(first, {
          ...{ times, open, say: () => undefined },
          onLost: () => void told.push('lost'),
        });
        if (waits)
          await until(
            () => told,
            (said) => said.length === 1,
            'the loss',
          );
        await lease.leave();
        expect(told).to.deep.equal(waits ? ['lost'] : []);
      });

  const least = () => rowsOf('SELECT min_program AS shown FROM kernel_installation');

  it('names the oldest program that may serve when it joins, and not while it waits', async () => {
    const first = asker('a');
    await take(first, true);
    await admin.query(`UPDATE kernel_nodes SET version = '0.1.9'; UPDATE kernel_installation SET min_program = ''`);
    const lease = new Lease(first, { ...{ times, open, say: () => undefined }, onLost: () => undefined });
    const waited: string[] = [];
    const taken = take(asker('b'), true, waited);
    await until(
      () => waited,
      (nodes) => nodes.length === 1,
      'the wait',
    );
    expect(await least()).to.deep.equal(['']);
    await lease.leave();
    await taken;
    expect([await least(), await states()]).to.deep.equal([['0.2.0'], ['a left', 'b live']]);
  });

  it('does not join next to one that joined since its start and needs a newer program', async () => {
    await admin.query(`UPDATE kernel_installation SET min_program = '1.0.1'`);
    const refused = await take(asker('a'), true).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(ConfigError);
    expect((refused as Error).message).to.contain('needs the program 1.0.1 or newer, and this one is 1.0.0');
    expect(await states()).to.deep.equal([]);
  });

  it('joins again when the answer of its commit was lost, and has not ended itself', async () => {
    await take(asker('a'), true);
    const again = asker('a');
    await take(again, true);
    const { head } = await take(again, true);
    expect(head.epoch).to.equal(3);
    expect(await ended()).to.deep.equal([`a for ${again.incarnation}`]);
  });
});
