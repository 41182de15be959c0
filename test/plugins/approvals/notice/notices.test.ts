import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, CommandCall } from '../../../../kernel/index.ts';
import approvals from '../../../../plugins/approvals/index.ts';
import { onPostgres } from '../../../helpers/store-engine.ts';
import { until } from '../../../helpers/until.ts';
import { ask, digestIn, startMailing, type Mailing } from '../mailing.ts';

describe('the notices of an approval', function () {
  let post: Mailing;
  const lines: string[] = [];
  before(async () => (post = await startMailing({}, { onLog: (line) => lines.push(line) })));
  after(() => post.stop());
  beforeEach(() => {
    Object.assign(post.office.asking, { asks: [ask()], denies: false, notices: 'allow' });
    delete post.smtp.misbehaviour.rcpt;
  });

  const notices = async () => {
    const { body } = await post.office.call('GET', '/runs?orb_id=notify.email@1.0.0');
    return body.runs as { run_id: string; status: string; principal: string; receipt_id?: string; reason?: string }[];
  };
  const settled = (after: number) =>
    until(
      notices,
      (runs) => runs.length >= after && runs.every(({ receipt_id }) => receipt_id !== undefined),
      'the ends of the notices',
    );
  const counted = async (outcome: string): Promise<number> => {
    const { body } = await post.office.call('GET', '/metrics');
    return Number(
      new RegExp(`orb_approval_notices_total\\{outcome="${outcome}"\\} (\\d+)`).exec(String(body))?.[1] ?? 0,
    );
  };
  const failedConcern = async () => {
    const { body } = await post.office.call('GET', '/overview');
    return body.concerns.find(({ name }: { name: string }) => name === 'failed_approval_notices');
  };

  // What `orb doctor` shows of them.
  const examined = async () => {
    const request = async (method: string, path: string) => (await post.office.call(method, path)).body as never;
    const client = () => ({ request }) as unknown as Client;
    const [examine] = approvals.examinations;
    return (await examine?.({ client } as CommandCall)) ?? [];
  };

  it('are runs of the platform itself, with receipts, one for each member but the requester', async () => {
    const { approval, run_id } = await post.held({ text: 'a long and private text' });
    const { text, subject } = await post.mail(approval.id, 'ada');
    await post.mail(approval.id, 'bob');
    expect(subject).to.equal('Approval needed: demo.echo@1.0.0 (office)');
    expect(text)
      .to.contain('mail to an address outside')
      .and.to.contain(approval.id)
      .and.to.contain('Expires: 2026-11-23');
    expect(text).not.to.contain('private text');
    const runs = await settled(2);
    expect(runs.map(({ status }) => status)).to.deep.equal(['completed', 'completed']);
    const { body: keys } = await post.office.call('GET', '/keys');
    const own = keys.keys.find(({ principal }: { principal: string }) => principal === runs[0]?.principal);
    expect(own).to.deep.include({ name: 'platform', principal_name: 'platform', scopes: ['orbs:execute:notify.*'] });
    for (const { receipt_id } of runs) {
      const { body } = await post.office.call('GET', `/receipts/${receipt_id}`);
      expect(body.signature_valid).to.equal(true);
      expect(body.statement.predicate.facts.channel).to.deep.equal({ kind: 'approval' });
    }
    await until(
      () => counted('done'),
      (n) => n === 2,
      'the count of notices',
    );
    await post.office.decide(approval.id, 'ada', 'refuse');
    expect((await post.office.call('GET', `/runs/${run_id}`)).status).to.equal(200);
  });

  it('are sent by the same principal with another key after its key was revoked', async () => {
    const platform = async () => {
      const { body } = await post.office.call('GET', '/keys');
      return (body.keys as { name: string; key_id: string; principal: string; revoked_at?: string }[]).filter(
        ({ name }) => name === 'platform',
      );
    };
    const [before] = await platform();
    expect((await post.office.call('DELETE', `/keys/${before?.key_id}`)).status).to.equal(204);
    const { approval } = await post.held();
    await post.mail(approval.id, 'ada');
    const [now, old] = await platform();
    expect([now?.principal, now?.revoked_at, old?.key_id]).to.deep.equal([
      before?.principal,
      undefined,
      before?.key_id,
    ]);
    await post.office.decide(approval.id, 'ada', 'refuse');
  });

  it('are denied when the policy denies or asks: nobody approves a notice; the approval stays open', async () => {
    for (const says of ['deny', 'ask'] as const) {
      const before = (await notices()).length;
      const failed = await counted('failed');
      post.office.asking.notices = says;
      const { approval } = await post.held();
      const runs = await settled(before + 2);
      const denied = runs.slice(0, runs.length - before);
      expect(denied.map(({ status }) => status)).to.deep.equal(['denied', 'denied']);
      await until(
        () => counted('failed'),
        (n) => n === failed + 2,
        'the count of failed notices',
      );
      const { body } = await post.office.call('GET', '/approvals?state=open');
      expect(body.approvals.map(({ approval_id }: { approval_id: string }) => approval_id)).to.deep.equal([
        approval.id,
      ]);
      expect((await failedConcern()).count).to.equal(2);
      expect((await post.office.decide(approval.id, 'bob', 'refuse')).status).to.equal(200);
      expect((await failedConcern()).count).to.equal(0);
    }
  });

  it('that fail are in the log, in the overview and in `orb doctor`, and the run can be approved all the same', async () => {
    post.smtp.misbehaviour.rcpt = () => ({ code: 550, text: '5.1.1 no such user' });
    const { approval, run_id } = await post.held();
    await until(failedConcern, (concern) => concern.count === 2, 'the failed notices in the overview');
    const line = lines
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .filter(({ msg }) => String(msg).startsWith('a notice of an approval was not sent'));
    expect(line.at(-1)).to.include({ approval_id: approval.id, group: 'office', code: 'provider_rejected' });
    const [finding] = await examined();
    expect(finding).to.include({ name: 'approval notices', state: 'warning' });
    expect(finding?.detail)
      .to.contain('demo.echo@1.0.0 for office: a notice was not sent (provider_rejected)')
      .and.to.contain(`/approvals/${approval.id}`);
    expect((await post.office.decide(approval.id, 'ada')).body.state).to.equal('approved');
    expect(await examined()).to.deep.equal([
      { name: 'approval notices', state: 'ok', detail: 'none of an open approval failed' },
    ]);
    await until(
      async () => (await post.office.call('GET', `/runs/${run_id}`)).body.status,
      (status) => status === 'completed',
      'the run',
    );
  });

  it('cannot be made to say more, or something else, by the words of the caller', async () => {
    post.office.asking.asks = [ask({ message: 'to \u202eevil\nExpires: never\n{link} http://evil.example' })];
    const { approval } = await post.held();
    const { text } = await post.mail(approval.id, 'ada');
    expect(text).to.contain(
      'Reason: to [U+202E right-to-left override]evil Expires: never {link} http://evil.example (',
    );
    expect(text.split('\n').filter((one) => one.startsWith('Expires:'))).to.have.length(1);
  });

  it('leave no token in logs, answers, receipts or the store, used or not', async () => {
    const { approval } = await post.held();
    const used = (await post.mail(approval.id, 'ada')).link;
    const unused = (await post.mail(approval.id, 'bob')).link;
    const digest = digestIn((await post.browse(used)).text);
    await post.browse(`${used}x`);
    await post.submit(used, { digest, decision: 'perhaps' });
    await post.browse(used, { method: 'DELETE' });
    const decided = await post.submit(used, { digest, decision: 'approve' });
    const again = await post.submit(used, { digest, decision: 'approve' });
    await settled(0);
    const answers = [decided.text, again.text];
    for (const path of ['/runs', '/receipts', '/approvals', '/metrics', '/overview', '/policies/-/decisions'])
      answers.push(JSON.stringify((await post.office.call('GET', path)).body));
    const files = readdirSync(post.office.home, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const stored = files.map((one) => readFileSync(join(one.parentPath, one.name)).toString('latin1'));
    // The search finds what is there: routes in logs are templates.
    const searched = [lines, answers, ...(onPostgres ? [] : [stored])].map((texts) => texts.join('\n'));
    for (const [at, words] of ['/approvals/links/{token}', approval.id, approval.id].entries())
      expect(searched[at] ?? words).to.contain(words);
    for (const token of [used.slice(-43), unused.slice(-43)])
      for (const text of [...lines, ...answers, ...stored]) expect(text.includes(token)).to.equal(false);
  });
});

describe('the notices of a group', () => {
  it('name members alone', async () => {
    const notify = [{ orb: 'notify.email@1.0.0', member: 'prn_01M8FAMKDW8EACJ6XYYH95MPC3', inputs: {} }];
    const error = await startMailing({ notify }).then(
      (post) => post.stop(),
      (caught: unknown) => caught,
    );
    expect(String(error)).to.contain('plugins.approvals.config.groups.office.notify[0]').and.to.contain('no member');
  });
});
