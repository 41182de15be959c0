import { expect } from 'chai';
import type pg from 'pg';
import { OwnerLost } from '../../../../kernel/store/committer.ts';
import type { FromMembership } from '../../../../plugins/postgres/peers/message.ts';
import { openIdentity } from '../../../../plugins/postgres/tables/identity.ts';
import { whileOthersWait } from '../../../../plugins/postgres/tables/migration.ts';
import { Roles } from '../../../../plugins/postgres/cluster/roles.ts';
import { openSession, type Session } from '../../../../plugins/postgres/connection/session.ts';
import { takeDatabase } from '../../../../plugins/postgres/cluster/taking.ts';
import { leaseTimes } from '../../../../plugins/postgres/cluster/watched.ts';
import { usePostgres } from '../../../helpers/use-postgres.ts';

const version = '1.0.0';

describe('the roles of a process', function () {
  this.timeout(60_000);
  const server = usePostgres();
  let admin: pg.Client;
  let session: Session;
  before(async () => {
    admin = await server.client('roles');
    session = await openSession(server.address('roles'));
    const identity = { masterKey: Buffer.alloc(32), now: 0, newInstallation: () => 'ins_1' };
    await whileOthersWait(session, () => openIdentity(session, identity));
  });
  after(() => session?.close());
  afterEach(async () => {
    for (const table of ['nodes', 'ended', 'roles']) await admin?.query(`DELETE FROM kernel_${table}`);
  });

  /** Makes a process that wants a role; `mute`: its clock is wrong. */
  async function join(node: string) {
    const asker = { node, place: node, incarnation: `${node}-1` };
    await takeDatabase(session, asker, { times: leaseTimes, version, beside: true, say: () => undefined });
    const state = { mute: false };
    const heard: FromMembership[] = [];
    const say = (message: FromMembership): void => void heard.push(message);
    const roles = new Roles({ asker, version, say, isMute: () => state.mute });
    roles.want('sweeping');
    return { state, heard, roles, tick: () => roles.tick(session) };
  }
  const holder = async (): Promise<unknown> =>
    (await admin.query<{ incarnation: string }>('SELECT incarnation FROM kernel_roles')).rows[0]?.incarnation;

  it('are offered while its clock is wrong, once it writes nothing more, and taken back', async () => {
    const { heard, roles, state, tick } = await join('a');
    expect(await tick()).to.equal(true);
    state.mute = true;
    expect(await tick(), 'it does nothing but renew its lease').to.equal(false);
    // What was said of another time says nothing of this one.
    roles.quiet(0);
    await tick();
    expect(await holder()).to.equal('a-1');
    roles.quiet(1);
    await tick();
    expect(await holder()).to.equal('offered by a-1');
    state.mute = false;
    expect(await tick()).to.equal(true);
    expect(await holder()).to.equal('a-1');
    expect(heard).to.deep.equal([
      { kind: 'role', role: 'sweeping' },
      { kind: 'mute', mute: true, round: 1 },
      { kind: 'mute', mute: false, round: 1 },
    ]);
  });

  it('are kept when its clock is right again before they were offered', async () => {
    const { state, tick } = await join('a');
    for (const mute of [false, true, false, true]) {
      state.mute = mute;
      await tick();
    }
    expect(await holder()).to.equal('a-1');
  });

  it('are not taken while its clock is wrong', async () => {
    const { heard, state, tick } = await join('a');
    state.mute = true;
    await tick();
    expect(await holder()).to.equal(undefined);
    state.mute = false;
    await tick();
    expect(heard.at(-1)).to.deep.equal({ kind: 'role', role: 'sweeping' });
  });

  it('end it when another process has taken one that it had offered', async () => {
    const [a, b] = [await join('a'), await join('b')];
    await a.tick();
    a.state.mute = true;
    await a.tick();
    await b.tick();
    expect(b.heard).to.deep.equal([]);
    a.roles.quiet(1);
    await a.tick();
    await b.tick();
    expect(b.heard).to.deep.equal([{ kind: 'role', role: 'sweeping' }]);
    a.state.mute = false;
    expect(await a.tick().catch((error: unknown) => error)).to.be.instanceOf(OwnerLost);
    expect(await holder()).to.equal('b-1');
  });
});
