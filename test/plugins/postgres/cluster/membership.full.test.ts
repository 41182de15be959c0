import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type pg from 'pg';
import { openIdentity } from '../../../../plugins/postgres/tables/identity.ts';
import { Lease } from '../../../../plugins/postgres/cluster/lease.ts';
import { tellText } from '../../../../plugins/postgres/cluster/members.ts';
import { Membership } from '../../../../plugins/postgres/cluster/membership.ts';
import { whileOthersWait } from '../../../../plugins/postgres/tables/migration.ts';
import { bind, openSession, type Session } from '../../../../plugins/postgres/connection/session.ts';
import { takeDatabase } from '../../../../plugins/postgres/cluster/taking.ts';
import type { FromMembership } from '../../../../plugins/postgres/peers/message.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';
import { noted } from '../../../helpers/engine-events.ts';
import { until } from '../../../helpers/until.ts';

const times = { holdMs: 800, renewMs: 160 };

/** A process that has joined, with what it was told. */
interface Member {
  readonly incarnation: string;
  readonly member: Membership;
  readonly heard: FromMembership[];
  readonly told: string[];
  /** Lets it say nothing to the database any more, until the returned function is called. */
  pause(): () => void;
  leave(): Promise<void>;
}

describe('the membership of a process', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let admin: pg.Client;
  let count = 0;
  const members: Member[] = [];
  const sessions: Session[] = [];
  const resumes: (() => void)[] = [];

  before(async () => {
    admin = await server.client('members');
    const session = await openSession(server.address('members'));
    const identity = { masterKey: Buffer.alloc(32), now: 0, newInstallation: () => 'ins_1' };
    await whileOthersWait(session, () => openIdentity(session, identity));
    await session.close();
  });
  afterEach(async () => {
    for (const resume of resumes.splice(0)) resume();
    await Promise.all(members.splice(0).map((one) => one.leave()));
    await Promise.all(sessions.splice(0).map((session) => session.close().catch(() => undefined)));
    for (const table of ['nodes', 'ended', 'roles', 'changes']) await admin?.query(`DELETE FROM kernel_${table}`);
    await admin?.query('UPDATE kernel_feed SET seq = 0');
  });

  async function join(node: string, begins = true, version = '1.0.0'): Promise<Member> {
    const asker = { node, place: node, incarnation: `${node}-${++count}` };
    const [heard, told]: [FromMembership[], string[]] = [[], []];
    const state: { lease?: Lease; paused: Promise<void> } = { paused: Promise.resolve() };
    const open = async (): Promise<Session> => {
      const session = await openSession(server.address('members'));
      sessions.push(session);
      return { ...session, flush: async (statements) => (await state.paused, session.flush(statements)) };
    };
    const { applied } = await takeDatabase(await open(), asker, {
      ...{ times, version, beside: true },
      say: () => undefined,
    });
    const member = new Membership({
      ...{ asker, times, version, joinedAt: applied },
      say: (message) => void heard.push(message),
      wake: () => state.lease?.wake(),
      isMute: () => false,
    });
    const lease = new Lease(asker, {
      ...{ times, open, beside: member },
      say: noted(told, 'away', 'back'),
      onLost: () => void told.push('lost'),
    });
    state.lease = lease;
    if (begins) member.hear({ kind: 'begin' });
    const one: Member = {
      ...{ incarnation: asker.incarnation, member, heard, told, leave: () => lease.leave() },
      pause() {
        const { promise, resolve } = Promise.withResolvers<void>();
        state.paused = promise;
        resumes.push(resolve);
        return resolve;
      },
    };
    members.push(one);
    return one;
  }
  const adopted = ({ heard }: Member): readonly string[] =>
    heard.flatMap((one) =>
      one.kind === 'adopted' ? [`${one.ended.incarnation}${one.ended.clean ? ' left' : ''}`] : [],
    );
  const roles = ({ heard }: Member): readonly string[] =>
    heard.flatMap((one) => (one.kind === 'role' ? [one.role] : []));
  const tell = async (by: Member, ref: string): Promise<void> => {
    const session = await openSession(server.address('members'));
    await session.flush([bind(tellText, ['topic', ref, 'node', by.incarnation])]);
    await session.close();
  };
  const states = async (): Promise<readonly string[]> =>
    (await admin.query<{ node: string; state: string }>('SELECT node, state FROM kernel_nodes ORDER BY node')).rows.map(
      ({ node, state }) => `${node} ${state}`,
    );

  it('adopts one that fell silent, once, with its roles; those that live go on', async () => {
    const [a, b, c] = [await join('a'), await join('b'), await join('c')];
    a.member.hear({ kind: 'want', role: 'sweeping' });
    await until(
      () => roles(a),
      (held) => held.length === 1,
      'the role',
    );
    for (const one of [b, c]) one.member.hear({ kind: 'want', role: 'sweeping' });
    a.pause();
    await until(
      () => [...adopted(b), ...adopted(c)],
      (all) => all.length > 0,
      'the adoption',
    );
    await until(
      () => [...roles(b), ...roles(c)],
      (all) => all.length > 0,
      'the next holder',
    );
    await delay(times.holdMs);
    expect([...adopted(b), ...adopted(c)]).to.deep.equal([a.incarnation]);
    expect([...roles(b), ...roles(c)]).to.deep.equal(['sweeping']);
    expect(await states()).to.deep.equal(['a dead', 'b live', 'c live']);
    expect([b.told, c.told]).to.deep.equal([[], []]);
  });

  it('is lost when it wakes after others have adopted it', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const wake = a.pause();
    await until(
      () => adopted(b),
      (all) => all.length > 0,
      'the adoption',
    );
    wake();
    await until(
      () => a.told,
      (told) => told.includes('lost'),
      'the word',
    );
    expect(a.told).to.deep.equal(['over', 'lost']);
  });

  it('passes on what an adopter had not settled when it fell silent itself', async () => {
    const [a, b, c] = [await join('a'), await join('b'), await join('c', false)];
    // Only b can adopt: c has not begun.
    a.pause();
    await until(
      () => adopted(b),
      (all) => all.length > 0,
      'the adoption of a',
    );
    b.pause();
    c.member.hear({ kind: 'begin' });
    await until(
      () => adopted(c),
      (all) => all.length === 2,
      'the adoption of both',
    );
    expect([...adopted(c)].sort()).to.deep.equal([a.incarnation, b.incarnation]);
    for (const incarnation of adopted(c)) c.member.hear({ kind: 'settled', incarnation });
    await until(
      async () => (await admin.query('SELECT incarnation FROM kernel_ended')).rowCount,
      (left) => left === 0,
      'the end',
    );
  });

  it('adopts its own former self when it starts again, and nobody when all were away as long as it', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const [wakeA, wakeB] = [a.pause(), b.pause()];
    await delay(2 * times.holdMs);
    // As after a restart of the database: both leases are long over, and both renew as soon as they can.
    wakeA();
    await delay(times.renewMs / 2);
    wakeB();
    await delay(3 * times.holdMs);
    expect([...adopted(a), ...adopted(b)]).to.deep.equal([]);
    expect(await states()).to.deep.equal(['a live', 'b live']);
    a.pause();
    const again = await join('a');
    await until(
      () => adopted(again),
      (all) => all.length > 0,
      'its former self',
    );
    expect([adopted(again), adopted(b)]).to.deep.equal([[a.incarnation], []]);
  });

  it('renews no lease while it has not learned what others changed, and holds up the barrier so long', async () => {
    const [a, b] = [await join('a'), await join('b')];
    await until(
      async () => (await admin.query('SELECT node FROM kernel_nodes WHERE serving = 1')).rowCount,
      (serving) => serving === 2,
      'both',
    );
    await tell(a, '1');
    a.member.hear({ kind: 'ask', what: 'everywhere', id: 1 });
    const answered = (): boolean => a.heard.some(({ kind }) => kind === 'answer');
    await until(
      () => b.told,
      (told) => told.includes('over'),
      'b to fall silent',
    );
    const handed = b.heard.find(({ kind }) => kind === 'changes');
    expect(handed).to.deep.equal({ kind: 'changes', upTo: 1, changes: [{ topic: 'topic', ref: '1' }] });
    b.member.hear({ kind: 'learned', upTo: 1 });
    await until(answered, (is) => is, 'the barrier');
    if (!b.told.includes('lost'))
      await until(
        () => b.told,
        (told) => told.at(-1) !== 'over',
        'b to go on or to be lost',
      );
    expect(a.told).to.deep.equal([]);
  });

  it('takes a free role while no newer program serves', async () => {
    const older = await join('a');
    const newer = await join('b', true, '1.1.0');
    await until(
      async () => (await admin.query('SELECT node FROM kernel_nodes WHERE serving = 1')).rowCount,
      (serving) => serving === 2,
      'both',
    );
    older.member.hear({ kind: 'want', role: 'sweeping' });
    await delay(4 * times.renewMs);
    expect(roles(older)).to.deep.equal([]);
    newer.member.hear({ kind: 'want', role: 'sweeping' });
    const held = (one: Member) =>
      until(
        () => roles(one),
        (all) => all.length === 1,
        'the role',
      );
    await held(newer);
    await newer.leave();
    await held(older);
  });

  it('takes a node from the list on the word of a person, unless that one has its lease', async () => {
    const [a, b] = [await join('a'), await join('b', false)];
    let id = 0;
    const ask = async (what: 'dismiss' | 'nodes', node = '') => {
      a.member.hear({ kind: 'ask', what, node, id: ++id });
      const answered = await until(
        () => a.heard.find((one) => one.kind === 'answer' && one.id === id),
        (found) => found !== undefined,
        'the answer',
      );
      return (answered as FromMembership & { kind: 'answer' }).nodes.map(({ name, state }) => `${name} ${state}`);
    };
    expect(await ask('dismiss', 'c')).to.deep.equal([]);
    expect(await ask('dismiss', 'b')).to.deep.equal(['b live']);
    b.pause();
    await until(
      async () => (await ask('dismiss', 'b'))[0],
      (state) => state === 'b dead',
      'the end of the lease',
    );
    await until(
      () => adopted(a),
      (all) => all.includes(b.incarnation),
      'what b left',
    );
    expect(await ask('nodes')).to.deep.equal(['a live']);
    await join('b', false);
    expect(await ask('nodes')).to.deep.equal(['a live', 'b live']);
  });

  it('ends when the feed is behind what it knows: the database went back', async () => {
    const a = await join('a');
    const b = await join('b');
    await tell(b, '1');
    a.member.hear({ kind: 'learned', upTo: 1 });
    await until(
      () => a.heard,
      (heard) => heard.some(({ kind }) => kind === 'changes'),
      'the change',
    );
    await admin.query('UPDATE kernel_feed SET seq = 0');
    await until(
      () => a.told,
      (told) => told.includes('lost'),
      'the end',
    );
  });
});
