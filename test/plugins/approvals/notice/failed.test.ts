import { expect } from 'chai';
import type { CommandCall } from '../../../../kernel/index.ts';
import { failedNotices } from '../../../../plugins/approvals/concerns.ts';
import { examineNotices } from '../../../../plugins/approvals/notice/examination.ts';
import approvalsStore from '../../../../plugins/approvals/store.ts';
import { openInMemory } from '../../../helpers/stores/memory.ts';

describe('the notices that failed', () => {
  const { driver, reads } = openInMemory(approvalsStore);
  const approve = driver.prepare(
    `INSERT INTO approvals_approvals (approval_id, run_id, tenant, orbiset_id, orb_id, requester, mode, digest, bound,
       asks, state, created_at, expires_at)
     VALUES (?, ?, ?, 'default', 'demo.echo@1.0.0', 'prn_1', 'live', '', '', x'', ?, 0, 1000)`,
  );
  const notify = driver.prepare(
    `INSERT INTO approvals_notices (notice_id, approval_id, asked, place, state, due_at, code)
     VALUES (?, ?, 'office', 0, ?, 0, 'provider_rejected')`,
  );
  let made = 0;
  const add = (tenant: string, { state = 'open', notice = 'failed' } = {}): string => {
    const number = String(++made).padStart(4, '0');
    approve.run(`apr_${number}`, `run_${number}`, tenant, state);
    notify.run(`ntc_${number}`, `apr_${number}`, notice);
    return `ntc_${number}`;
  };
  const concern = failedNotices({ failedNotices: (...asked) => Promise.resolve(reads.failedNotices(...asked)) });
  const found = async (tenant?: string) => {
    const { count, more, newest } = await concern.find(tenant);
    // The overview shows these.
    return { count, more, ids: newest.slice(0, 5).map(({ id }) => id) };
  };

  // All of another tenant are newer, and more than are read.
  const own = [add('acme'), add('acme')];
  add('acme', { state: 'approved' });
  add('acme', { notice: 'done' });
  const others = Array.from({ length: 150 }, () => add('default'));

  it('are those of the tenant that asks, however many newer ones another tenant has', async () => {
    expect(await found('acme')).to.deep.equal({ count: 2, more: undefined, ids: own.toReversed() });
    expect(await found('nobody')).to.deep.equal({ count: 0, more: undefined, ids: [] });
    const newest = others.slice(-5).toReversed();
    expect(await found('default')).to.deep.equal({ count: 100, more: true, ids: newest });
    expect(await found()).to.deep.equal({ count: 100, more: true, ids: newest });
  });

  const examined = async (overview: object) => {
    const client = () => ({ request: () => Promise.resolve(overview) });
    return examineNotices({ client } as unknown as CommandCall);
  };

  it('are named by `orb doctor`: the newest, and how many others there are', async () => {
    const { newest, ...counted } = await concern.find('default');
    const state = { name: concern.name, ...counted, newest: newest.slice(0, 5) };
    const [finding] = await examined({ concerns: [{ name: 'undecided_runs', count: 3, newest: [] }, state] });
    expect(finding).to.include({ name: 'approval notices', state: 'warning' });
    expect(finding?.detail)
      .to.match(/^demo\.echo@1\.0\.0 for office: a notice was not sent \(provider_rejected\): tell a member of office/)
      .and.to.match(/\. and 95 or more others$/);
    expect(finding?.detail.match(/apr_\d{4}/g)).to.deep.equal([
      'apr_0154',
      'apr_0153',
      'apr_0152',
      'apr_0151',
      'apr_0150',
    ]);
    expect(finding?.remedy).to.contain('tell the members of the group');
  });

  it('are no finding where the key sees none of them, and skipped without a server', async () => {
    expect(await examined({ concerns: [] })).to.deep.equal([]);
    const client = () => ({ request: () => Promise.reject(new Error('no server answers')) });
    expect(await examineNotices({ client } as unknown as CommandCall)).to.deep.equal([
      { name: 'approval notices', state: 'skipped', detail: 'no server answers' },
    ]);
  });
});
