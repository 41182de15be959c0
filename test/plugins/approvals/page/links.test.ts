import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { ask, digestIn, startMailing, type Mailing } from '../mailing.ts';

describe('the link of a notice', function () {
  let post: Mailing;
  before(async () => (post = await startMailing()));
  after(() => post.stop());
  beforeEach(() => Object.assign(post.office.asking, { asks: [ask()], denies: false, notices: 'allow' }));

  const run = async (id: string) => (await post.office.call('GET', `/runs/${id}`)).body;
  const ended = (id: string) =>
    until(
      () => run(id),
      ({ status }) => !['queued', 'held', 'running'].includes(status as string),
      `the end of ${id}`,
    );

  it('shows what is asked by GET, and decides once by its form, without a script and without signing in', async () => {
    const { run_id, approval } = await post.held({ text: 'to the outside' });
    const { link } = await post.mail(approval.id, 'ada');
    expect(link).to.match(/\/approvals\/links\/[\w-]{43}$/);
    const page = await post.browse(link);
    expect(page.status, page.text).to.equal(200);
    expect(page.text).to.contain('to the outside').and.to.contain(run_id).and.to.contain(post.office.ids.agent);
    expect(page.text).to.contain('mail to an address outside').and.not.to.contain('<script');
    const digest = digestIn(page.text);
    const done = await post.submit(link, { digest, decision: 'approve', comment: 'known to us\r\nby Ada' });
    expect(done.status, done.text).to.equal(200);
    expect(await ended(run_id)).to.include({ status: 'completed' });
    const { body } = await post.office.call('GET', `/approvals/${approval.id}`);
    expect(body.decisions).to.have.length(1);
    expect(body.decisions[0]).to.include({
      ...{ principal: post.office.ids.ada, auth: 'link', surface: 'page', comment: 'known to us\nby Ada' },
    });
    const { body: receipt } = await post.office.call('GET', `/receipts/${body.decisions[0].receipt_id}`);
    expect(receipt.signature_valid).to.equal(true);
    expect(receipt.statement.predicate.facts).to.include({
      auth: 'link',
      surface: 'page',
      decision: 'approve',
      digest,
    });
  });

  it('keeps itself to itself: no cache, no index, no referrer, no frame', async () => {
    const { approval } = await post.held();
    const { link } = await post.mail(approval.id, 'bob');
    const { headers, text } = await post.browse(link);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(headers.get('x-robots-tag')).to.contain('noindex');
    expect(headers.get('content-security-policy'))
      .to.contain("frame-ancestors 'none'")
      .and.to.contain("form-action 'self'");
    expect(text).not.to.contain(link.slice(-43));
  });

  it('decides nothing when scanners fetch it, by GET and HEAD, again and again', async () => {
    const { run_id, approval } = await post.held();
    for (const who of ['ada', 'bob']) {
      const { link } = await post.mail(approval.id, who);
      for (const method of ['GET', 'HEAD', 'GET', 'HEAD'])
        for (const query of ['', '?decision=approve', `?decision=approve&digest=sha256:${'0'.repeat(64)}`])
          expect((await post.browse(link + query, { method })).status).to.equal(200);
    }
    for (const method of ['GET', 'HEAD']) expect((await post.browse(approval.url, { method })).status).to.equal(200);
    expect(await run(run_id)).to.include({ status: 'held' });
    const { body } = await post.office.call('GET', `/approvals/${approval.id}`);
    expect(body).to.deep.include({ state: 'open', decisions: [] });
    expect((await post.browse((await post.mail(approval.id, 'ada')).link)).status).to.equal(200);
  });

  const sentence = async (
    answer: { status: number; text: string },
    status: number,
    words: string | RegExp,
  ): Promise<void> => {
    expect(answer.status, answer.text).to.equal(status);
    expect(answer.text).to.match(/^<!doctype html>/i);
    expect(answer.text).to.match(new RegExp(words));
    await Promise.resolve();
  };

  it('used twice decides once, and says so on a page, and as a problem to programs', async () => {
    Object.assign(post.office.asking, { asks: [ask({ of: 2 })] });
    const { run_id, approval } = await post.held();
    const { link } = await post.mail(approval.id, 'ada');
    const digest = digestIn((await post.browse(link)).text);
    const answers = await Promise.all([0, 1, 2].map(() => post.submit(link, { digest, decision: 'approve' })));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    await sentence(await post.submit(link, { digest, decision: 'approve' }), 410, 'was used');
    await sentence(await post.browse(link), 410, 'was used');
    const json = await post.submit(link, { digest, decision: 'refuse' }, { accept: 'application/json' });
    expect(json.headers.get('content-type')).to.contain('application/problem+json');
    expect(JSON.parse(json.text)).to.include({ code: 'approval_link_over', status: 410 });
    expect((await run(run_id)).status).to.equal('held');
    const { body } = await post.office.call('GET', `/approvals/${approval.id}`);
    expect(body.decisions).to.have.length(1);
  });

  it('is refused late, when the run was cancelled, and after another decision', async () => {
    const [late, gone, decided] = [await post.held(), await post.held(), await post.held()];
    const links: string[] = [];
    for (const { approval } of [late, gone, decided]) links.push((await post.mail(approval.id, 'ada')).link);
    const digests: string[] = [];
    for (const link of links) digests.push(digestIn((await post.browse(link)).text));
    const submit = (at: number) => post.submit(links[at] ?? '', { digest: digests[at] ?? '', decision: 'approve' });
    await post.office.call('POST', `/runs/${gone.run_id}/cancel`, undefined, post.office.keys.agent);
    await sentence(await submit(1), 410, 'approval is cancelled');
    await post.office.decide(decided.approval.id, 'bob', 'refuse');
    await sentence(await submit(2), 410, 'approval is refused');
    post.office.clock.set('2026-11-23T11:30:00Z');
    await sentence(await submit(0), 410, 'expired');
    expect(await ended(late.run_id)).to.include({ status: 'denied', reason: 'approval_expired' });
    await sentence(await submit(0), 410, 'expired');
  });

  it('is refused to another person, and to the requester, who gets none', async () => {
    const { run_id, approval } = await post.held();
    const { link } = await post.mail(approval.id, 'ada');
    await post.mail(approval.id, 'bob');
    const digest = digestIn((await post.browse(link)).text);
    for (const who of ['bob', 'agent', 'eve'] as const) {
      const headers = { authorization: `Bearer ${post.office.keys[who]}` };
      await sentence(await post.submit(link, { digest, decision: 'approve' }, headers), 403, 'another person');
      await sentence(await post.browse(link, { headers }), 403, 'another person');
    }
    expect(post.smtp.messages.some(({ to }) => to.includes('agent@example.com'))).to.equal(false);
    expect((await run(run_id)).status).to.equal('held');
  });

  it('is refused when its person lost the right to decide', async () => {
    const { approval } = await post.held();
    const { link } = await post.mail(approval.id, 'bob');
    const digest = digestIn((await post.browse(link)).text);
    const { body } = await post.office.call('GET', '/keys');
    const key = body.keys.find(({ principal }: { principal: string }) => principal === post.office.ids.bob);
    await post.office.call('DELETE', `/keys/${key.key_id}`);
    await sentence(await post.submit(link, { digest, decision: 'approve' }), 403, 'may not decide any more');
  });

  it('takes no form that says nothing, says two things, names another digest or comes from another site', async () => {
    const { run_id, approval } = await post.held();
    const { link } = await post.mail(approval.id, 'ada');
    const digest = digestIn((await post.browse(link)).text);
    const forms: readonly (readonly [fields: string, status: number, headers?: Record<string, string>])[] = [
      ['', 422],
      ['decision=approve', 422],
      [`digest=${digest}`, 422],
      [`decision=&digest=${digest}`, 422],
      [`decision=yes&digest=${digest}`, 422],
      [`decision=approve&decision=refuse&digest=${digest}`, 422],
      [`decision=approve&digest=${digest}&comment=${'x'.repeat(1001)}`, 422],
      [`decision=approve&digest=${digest}&comment=%00`, 422],
      [`decision=approve&digest=sha256:${'0'.repeat(64)}`, 409],
      [`decision=approve&digest=${digest}&comment=${'x'.repeat(17_000)}`, 413],
      [`decision=approve&digest=${digest}`, 403, { 'sec-fetch-site': 'cross-site' }],
      [`decision=approve&digest=${digest}`, 403, { 'sec-fetch-site': 'none' }],
      [`{"decision":"approve","digest":"${digest}"}`, 415, { 'content-type': 'application/json' }],
    ];
    for (const [body, status, more = {}] of forms) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...more };
      await sentence(await post.browse(link, { method: 'POST', body, headers }), status, '<h1>');
    }
    expect((await run(run_id)).status).to.equal('held');
    await sentence(await post.submit(`${link.slice(0, -3)}abc`, { digest, decision: 'approve' }), 404, 'not complete');
    expect((await post.submit(link, { digest, decision: 'refuse' })).status).to.equal(200);
    expect(await ended(run_id)).to.include({ status: 'denied', reason: 'approval_refused' });
  });
});

describe('the link of a notice to a group without links', function () {
  it('leads to the page for people who are signed in', async () => {
    const post = await startMailing({ links: false });
    try {
      const { approval } = await post.held();
      const { link, text } = await post.mail(approval.id, 'ada');
      expect(link).to.equal(approval.url);
      expect(text).to.contain('signed in to the console');
    } finally {
      await post.stop();
    }
  });
});
