import { expect } from 'chai';
import { until } from '../../helpers/until.ts';
import { digestIn, startMailing, type Mailing } from './mailing.ts';
import { ask } from './started.ts';

// Each is named after a mistake that another product made with approvals.
describe('mistakes of approvals elsewhere', function () {
  let post: Mailing;
  before(async () => (post = await startMailing()));
  after(() => post.stop());
  beforeEach(() => Object.assign(post.office.asking, { asks: [ask()], denies: false }));

  const run = async (id: string) => (await post.office.call('GET', `/runs/${id}`)).body;
  const ended = (id: string) =>
    until(
      () => run(id),
      ({ status }) => !['queued', 'held', 'running'].includes(status as string),
      `the end of ${id}`,
    );
  const approve = async (id: string): Promise<void> => {
    expect((await post.office.decide(id, 'ada')).status).to.equal(200);
  };
  // What was decided on last about an Orb: the inputs that went to it.
  const executed = (): unknown =>
    post.office.asking.seen.findLast(({ approvals }) => Array.isArray(approvals) && approvals.length > 0)?.['inputs'];

  it('an approval is not remembered by the tool: the next call, with other arguments or the same, is held again', async () => {
    const first = await post.held({ text: 'ten' });
    await approve(first.approval.id);
    expect((await ended(first.run_id)).status).to.equal('completed');
    for (const text of ['ten thousand', 'ten']) {
      const { run_id, approval } = await post.held({ text });
      expect((await run(run_id)).status).to.equal('held');
      expect(approval.id).not.to.equal(first.approval.id);
    }
  });

  it('the executed arguments are the approved ones, and the shown ones: one commitment in page, approval and receipt', async () => {
    const inputs = { text: 'exactly\u200b this' };
    const { run_id, approval } = await post.held(inputs);
    const { body: shown } = await post.office.call('GET', `/approvals/${approval.id}`, undefined, post.office.keys.ada);
    expect(shown.inputs).to.deep.equal(inputs);
    const { link } = await post.mail(approval.id, 'ada');
    expect((await post.browse(link)).text)
      .to.contain(shown.bound.inputs.commitment)
      .and.to.contain('U+200B');
    await approve(approval.id);
    const done = await ended(run_id);
    expect(executed()).to.deep.equal(inputs);
    const { body } = await post.office.call('GET', `/receipts/${done.receipt_id}`);
    expect(body.statement.predicate.facts.inputs).to.deep.equal(shown.bound.inputs);
  });

  it('an approval does not outlive an edit of the call: its key with other inputs is refused, and the held call stays', async () => {
    const send = async (text: string) => {
      const answer = await fetch(`${post.office.url()}/orbisets/default/execute`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', 'idempotency-key': '"edited"' },
          authorization: `Bearer ${post.office.keys.agent}`,
        },
        body: JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text } }),
      });
      return {
        status: answer.status,
        body: (await answer.json()) as Record<string, unknown> & { approval: { id: string } },
      };
    };
    const { status, body } = await send('as approved');
    expect(status).to.equal(202);
    await approve(body.approval.id);
    expect(await send('edited')).to.have.property('status', 422);
    expect((await ended(String(body['run_id']))).status).to.equal('completed');
    expect(executed()).to.deep.equal({ text: 'as approved' });
  });

  it('a token of an approval is not used twice, nor by two at the same moment', async () => {
    post.office.asking.asks = [ask({ of: 2 })];
    const { run_id, approval } = await post.held();
    const { link } = await post.mail(approval.id, 'bob');
    const fields = { digest: digestIn((await post.browse(link)).text), decision: 'approve' };
    const clicks = await Promise.all(Array.from({ length: 8 }, () => post.submit(link, fields)));
    expect(clicks.filter(({ status }) => status === 200)).to.have.length(1);
    expect(clicks.every(({ status }) => [200, 409, 410, 503].includes(status))).to.equal(true);
    expect((await post.submit(link, fields)).status).to.equal(410);
    expect((await run(run_id)).status).to.equal('held');
  });

  it('an approved call is carried out after a restart', async () => {
    const { run_id, approval } = await post.held({ text: 'after a restart' });
    await approve(approval.id);
    await post.office.restart();
    expect((await ended(run_id)).status).to.equal('completed');
  });

  it('empty input is no yes, on no surface', async () => {
    const { run_id, approval } = await post.held();
    const { link } = await post.mail(approval.id, 'ada');
    const path = `/approvals/${approval.id}/decision`;
    for (const body of [undefined, '', {}, { decision: '' }, { decision: null }, []])
      expect((await post.office.call('POST', path, body, post.office.keys.ada)).status).to.be.within(400, 422);
    for (const url of [link, approval.url])
      for (const body of ['', 'decision=', '=', 'approve'])
        expect(
          (
            await post.browse(url, {
              method: 'POST',
              body,
              headers: {
                ...{ 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
                ...(url === link ? {} : { authorization: `Bearer ${post.office.keys.ada}` }),
              },
            })
          ).status,
        ).to.equal(422);
    expect((await run(run_id)).status).to.equal('held');
  });

  it('silence is no yes: time denies', async () => {
    const { run_id } = await post.held();
    post.office.clock.set(new Date(post.office.clock.now() + 2 * 3_600_000).toISOString());
    expect(await ended(run_id)).to.include({ status: 'denied', reason: 'approval_expired' });
  });

  it('a pile of open approvals ends at the limit of the group: the next call is denied, and told so', async () => {
    const most = 50;
    const codes: unknown[] = [];
    while (codes.length <= most && codes.at(-1) === undefined)
      codes.push((await post.office.execute({ text: `number ${codes.length}` })).body.code);
    expect(codes.at(-1)).to.equal('approval_backlog');
  });
});
