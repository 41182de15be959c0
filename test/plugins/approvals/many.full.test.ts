import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { ask, startApproving, type Approving } from './started.ts';

const groups = Array.from({ length: 10 }, (_, at) => `group-${at}`);
const perGroup = 50;

describe('five hundred open approvals in ten groups', function () {
  this.timeout(300_000);
  let office: Approving;
  before(async function () {
    office = await startApproving(({ ada, bob, eve }) => ({
      groups: Object.fromEntries(groups.map((name, at) => [name, at === 0 ? [ada, eve] : [ada, bob]])),
    }));
    for (const approvers of groups) {
      office.asking.asks = [ask({ approvers })];
      const answers = await Promise.all(
        Array.from({ length: perGroup }, (_, at) => office.execute({ text: `${approvers} ${at}` })),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal(Array<number>(perGroup).fill(202));
    }
  });
  after(() => office?.stop());

  interface Listed {
    readonly approval_id: string;
    readonly run_id: string;
  }
  const page = async (query: string, key?: string) =>
    (await office.call('GET', `/approvals?${query}`, undefined, key)).body;
  const all = async (query: string, key?: string) => {
    const found: Listed[] = [];
    let pages = 0;
    for (let cursor = ''; ;) {
      const { approvals, next_cursor } = await page(`${query}${cursor}`, key);
      expect(approvals).to.have.length.at.most(100);
      found.push(...approvals);
      pages += 1;
      if (next_cursor === undefined) return { found, pages };
      cursor = `&cursor=${next_cursor}`;
    }
  };

  it('are listed in pages, each once, and by group', async () => {
    const { found, pages } = await all('state=open&limit=100');
    expect([found.length, pages]).to.deep.equal([500, 5]);
    expect(new Set(found.map(({ approval_id }) => approval_id)).size).to.equal(500);
    const { found: own, pages: few } = await all('state=open&limit=100', office.keys.eve);
    expect([own.length, few]).to.deep.equal([perGroup, 1]);
    expect((await all('group=group-0&limit=100', office.keys.ada)).found).to.deep.equal(own);
    expect((await all('group=group-9&limit=20')).pages).to.equal(3);
  });

  it('are counted up to a bound by the overview, and leave the health as it is', async () => {
    const { body } = await office.call('GET', '/overview');
    const concern = body.concerns.find(({ name }: { readonly name: string }) => name === 'open_approvals');
    expect([concern.count, concern.more, concern.newest.length]).to.deep.equal([100, true, 5]);
    const { status, body: health } = await office.call('GET', '/health');
    expect([status, health.status]).to.deep.equal([200, 'ok']);
    expect(JSON.stringify(health).length).to.be.lessThan(10_000);
    expect(String((await office.call('GET', '/metrics')).body)).to.match(/^orb_open_approvals 500$/m);
  });

  it('are the most: the next one of a group is denied with a receipt, until one of them ends', async () => {
    for (const approvers of groups.slice(0, 3)) {
      office.asking.asks = [ask({ approvers })];
      const { status, body } = await office.execute({ text: 'one more' });
      expect([status, body.code]).to.deep.equal([403, 'approval_backlog']);
      expect(body.receipt.signature_valid).to.equal(true);
    }
    // One run may ask several groups: one that is full is enough.
    office.asking.asks = [ask({ approvers: 'group-0' }), ask({ code: 'other', approvers: 'group-1' })];
    expect((await office.execute({ text: 'both' })).body.code).to.equal('approval_backlog');
    office.asking.asks = [ask({ approvers: 'group-0' })];
    const [first] = (await page('group=group-0&state=open&limit=1')).approvals as readonly Listed[];
    await office.decide(first?.approval_id ?? '', 'eve', 'refuse');
    expect((await office.execute({ text: 'in its place' })).status).to.equal(202);
    expect((await office.execute({ text: 'and one more' })).body.code).to.equal('approval_backlog');
  });

  it('are all denied when nobody decides in time', async () => {
    office.clock.set('2026-11-23T12:00:00Z');
    await until(
      async () => (await page('state=open&limit=1')).approvals.length,
      (open) => open === 0,
      'the end of all',
      500,
    );
    const { found } = await all('state=expired&limit=100');
    expect(found).to.have.length(500);
    const last = await office.call('GET', `/runs/${found.at(-1)?.run_id}`);
    expect(last.body).to.include({ status: 'denied', reason: 'approval_expired' });
  });
});
