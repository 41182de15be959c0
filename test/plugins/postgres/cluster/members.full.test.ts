import { expect } from 'chai';
import type pg from 'pg';
import { openIdentity } from '../../../../plugins/postgres/tables/identity.ts';
import { lateNodes, leftByOthers } from '../../../../plugins/postgres/cluster/members.ts';
import { whileOthersWait } from '../../../../plugins/postgres/tables/migration.ts';
import { bind, openSession, type Session } from '../../../../plugins/postgres/connection/session.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { until } from '../../../helpers/until.ts';

const past = 0;
const future = 9_000_000_000_000;

describe('the list of processes', () => {
  const server = usePostgres();
  let admin: pg.Client;
  const sessions: Session[] = [];

  const open = async (): Promise<Session> => {
    const session = await openSession(server.address('list'), 'lease');
    sessions.push(session);
    return session;
  };
  before(async () => {
    admin = await server.client('list');
    const session = await open();
    const identity = { masterKey: Buffer.alloc(32), now: 0, newInstallation: () => 'ins_1' };
    await whileOthersWait(session, () => openIdentity(session, identity));
  });
  afterEach(() => admin?.query('DELETE FROM kernel_nodes; DELETE FROM kernel_ended'));
  after(() => Promise.all(sessions.map((session) => session.close())));

  const add = (node: string, { state = 'live', serving = 1, applied = 0, leaseUntil = future } = {}) =>
    admin.query(
      `INSERT INTO kernel_nodes (node, incarnation, place, epoch, state, lease_until, serving, applied)
       VALUES ($1, $1, $1, 1, $2, $3, $4, $5)`,
      [node, state, leaseUntil, serving, applied],
    );

  for (const [what, row, adopter, starter] of [
    ['has learned', { applied: 5 }, 0, 0],
    ['has not learned', {}, 1, 1],
    ['has not learned, and may renew its lease, which is over', { leaseUntil: past }, 1, 0],
    ['was adopted', { state: 'dead', serving: 0, leaseUntil: past }, 0, 0],
    ['has left', { state: 'left', serving: 0 }, 0, 0],
    ['starts', { serving: 2 }, 0, 0],
  ] as const)
    it(`counts ${adopter} late where one ${what}; ${starter} for a process that starts`, async () => {
      await add('a', row);
      const answers = await (await open()).flush([lateNodes(5, true), lateNodes(5, false)]);
      expect(answers.map(({ rows }) => rows[0]?.['late'])).to.deep.equal([adopter, starter]);
    });

  it('gives an ended process to one of two that ask for it at once', async () => {
    for (const node of ['a', 'b']) await add(node);
    await admin.query(`INSERT INTO kernel_ended (incarnation, node, adopter, clean) VALUES ('z', 'z', '', 0)`);
    const [first, second] = [await open(), await open()];
    const ask = async (session: Session, node: string): Promise<unknown> =>
      (await session.flush(leftByOthers({ node, incarnation: node }))).at(-1)?.rows.map(({ node: ended }) => ended);
    await first.flush([bind('BEGIN', [])]);
    const one = await ask(first, 'a');
    const other = ask(second, 'b');
    await until(
      async () => (await admin.query('SELECT pid FROM pg_locks WHERE NOT granted')).rowCount,
      (waiting) => waiting === 1,
      'the second to wait for the row',
    );
    await first.flush([bind('COMMIT', [])]);
    expect([one, await other]).to.deep.equal([['z'], []]);
  });
});
