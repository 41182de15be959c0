import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import approvalsStore from '../../../plugins/approvals/store.ts';
import { connectionOf } from '../../helpers/stores/memory.ts';
import { ask, startApproving, type Approving } from './started.ts';

describe('the lists of approvals', function () {
  this.timeout(60_000);
  let office: Approving;
  before(async () => {
    office = await startApproving((ids) => ({ groups: { office: [ids.ada, ids.bob, ids.agent], board: [ids.eve] } }));
  });
  after(() => office.stop());

  const hold = async (text: string, approvers = 'office'): Promise<string> => {
    office.asking.asks = [ask({ approvers })];
    const { status, body } = await office.execute({ text });
    expect(status, JSON.stringify(body)).to.equal(202);
    return String(body.approval.id);
  };
  const list = async (query: string, who?: 'ada' | 'eve') => {
    const { body } = await office.call('GET', `/approvals?${query}`, undefined, who && office.keys[who]);
    return { ids: body.approvals.map((one: { approval_id: string }) => one.approval_id), groups: body.groups };
  };
  const show = async (id: string, who: 'ada' | 'eve' | 'agent' = 'ada') =>
    (await office.call('GET', `/approvals/${id}`, undefined, office.keys[who])).body;

  it('tell open ones from ended ones, and those of a group from those of others', async () => {
    const [first, second, other] = [await hold('one'), await hold('two'), await hold('three', 'board')];
    await office.decide(first, 'ada', 'refuse');
    expect(await list('')).to.deep.equal({ ids: [other, second, first], groups: ['office', 'board'] });
    expect((await list('state=open')).ids).to.deep.equal([other, second]);
    expect((await list('state=ended')).ids).to.deep.equal([first]);
    expect((await list('group=office')).ids).to.deep.equal([second, first]);
    expect((await list('group=board&state=open')).ids).to.deep.equal([other]);
    expect((await list('group=board&state=ended')).ids).to.deep.equal([]);
    expect((await list('group=nobody')).ids).to.deep.equal([]);
    expect(await list('', 'ada')).to.deep.equal({ ids: [second, first], groups: ['office'] });
    expect((await list('group=board', 'ada')).ids).to.deep.equal([]);
    expect(await list('', 'eve')).to.deep.equal({ ids: [other], groups: ['board'] });
  });

  it('have pages of one group without a gap', async () => {
    const all = (await list('group=office')).ids;
    const { body } = await office.call('GET', '/approvals?group=office&limit=1');
    expect(body.approvals).to.have.length(1);
    const rest = (await list(`group=office&cursor=${body.next_cursor}`)).ids;
    expect([body.approvals[0].approval_id, ...rest]).to.deep.equal(all);
  });

  it('show similar ones of the past, and whether the caller may decide', async () => {
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) ids.push(await hold(text));
    for (const id of ids.slice(0, 4)) await office.decide(id, 'bob');
    await office.decide(ids[4] ?? '', 'bob', 'refuse');
    const { similar, may_decide } = await show(ids[5] ?? '');
    expect([similar.approved, similar.refused, may_decide]).to.deep.equal([4, 2, true]);
    expect(similar.last.map((one: { approval_id: string }) => one.approval_id)).to.deep.equal(
      ids.slice(0, 5).toReversed(),
    );
    expect(similar.last[0]).to.include({ state: 'refused' });
    // It is not its own past, and it is decided.
    const ended = await show(ids[4] ?? '');
    expect([ended.similar.refused, ended.may_decide]).to.deep.equal([1, false]);
    expect((await show(ids[5] ?? '', 'agent')).may_decide).to.equal(false);
    expect((await office.call('GET', `/approvals/${ids[5]}`)).body.may_decide).to.equal(false);
  });

  it('show how others of the Orb with the same reasons ended in the last 30 days', async () => {
    const later = (ms: number) => office.clock.set(new Date(office.clock.now() + ms).toISOString());
    // Whoever asked for them; other reasons, and other Orbs, do not count.
    const asked = async (codes: readonly string[], who?: 'agent' | 'eve'): Promise<string> => {
      office.asking.asks = codes.map((code) => ask({ code }));
      const { status, body } = await office.execute({ text: 'x' }, {}, who && office.keys[who]);
      expect(status, JSON.stringify(body)).to.equal(202);
      return String(body.approval.id);
    };
    const approved = [await asked(['sum', 'far'], 'agent'), await asked(['far', 'sum'], 'eve')];
    for (const id of approved) await office.decide(id, 'bob');
    await office.decide(await asked(['far', 'sum']), 'bob', 'refuse');
    await office.decide(await asked(['sum']), 'bob', 'refuse');
    const silent = await asked(['sum', 'far']);
    later(2 * 3_600_000);
    await until(
      () => show(silent),
      ({ state }) => state === 'expired',
      'the end of the silent one',
    );
    const open = await asked(['sum', 'far']);
    expect((await show(open)).outcomes).to.deep.equal({ approved: 2, refused: 1, expired: 1 });
    // One is not among its own past.
    expect((await show(approved[0] ?? '')).outcomes).to.deep.equal({ approved: 1, refused: 1, expired: 1 });
    const page = await fetch(`${office.url()}/approvals/${open}/page`, {
      headers: { accept: 'text/html', authorization: `Bearer ${office.keys.ada}` },
    });
    expect((await page.text()).replace(/\s+/g, ' ')).to.contain(
      'held for the same reasons in the last 30 days: 2 approved, 1 refused, 1 expired.',
    );
    later(30 * 86_400_000);
    expect((await show(await asked(['sum', 'far']))).outcomes).to.deep.equal({ approved: 0, refused: 0, expired: 0 });
  });

  it('name the groups that are asked, and the policies that ask', async () => {
    office.asking.asks = [ask(), ask({ code: 'large', approvers: 'board', policies: ['mail', 'size'] })];
    const { body: run } = await office.execute({ text: 'both' });
    const { body } = await office.call('GET', '/approvals?limit=1');
    expect(body.approvals[0]).to.deep.include({
      ...{ approval_id: run.approval.id, approvers: ['office', 'board'], policies: ['mail', 'size'] },
    });
    await office.decide(run.approval.id, 'ada', 'refuse');
  });

  it('say that who has decided, and others are asked for still, decides no more', async () => {
    office.asking.asks = [ask({ of: 2 })];
    const { body } = await office.execute({ text: 'both' });
    await office.decide(body.approval.id, 'ada');
    expect((await show(body.approval.id)).may_decide).to.equal(false);
    const { body: bob } = await office.call('GET', `/approvals/${body.approval.id}`, undefined, office.keys.bob);
    expect(bob.may_decide).to.equal(true);
  });
});

describe('the outcomes of approvals with the same reasons', () => {
  it('are counted by an index alone', () => {
    const driver = new Driver(':memory:');
    for (const migration of approvalsStore.migrations) driver.exec(migration);
    const read: string[] = [];
    approvalsStore.read(connectionOf(driver, (sql) => read[read.push(sql) - 1] ?? sql));
    const counting = read.find((sql) => sql.includes('count(*) AS approvals')) ?? '';
    const plan = driver.prepare(`EXPLAIN QUERY PLAN ${counting}`).all('t', 'o', 'r', 0, 'a');
    expect(JSON.stringify(plan)).to.contain(
      'USING INDEX approvals_approvals_reasons (tenant=? AND orb_id=? AND reasons=?',
    );
    driver.close();
  });
});
