import { expect } from 'chai';
import { ask, startApproving, type Approving } from '../approvals/started.ts';
import { until } from '../../helpers/until.ts';
import { said, script, type Script } from './bed.ts';

const chat = { model: 'fast', messages: [{ role: 'user', content: 'hi' }] };
const doors = [
  { path: '/v1/chat/completions', body: chat },
  { path: '/v1/chat/completions', body: { ...chat, stream: true } },
  { path: '/v1/messages', body: { ...chat, max_tokens: 5 } },
] as const;

interface Refusal {
  readonly run_id: string;
  readonly reasons: readonly {
    readonly approval_id: string;
    readonly url: string;
    readonly asked: readonly string[];
  }[];
}

describe('a call of a model that people must approve', function () {
  this.timeout(60_000);
  let office: Approving;
  let model: Script;
  let text = 0;
  before(async () => {
    model = script();
    const { adapters, data } = model;
    office = await startApproving(
      {},
      { adapters, data, settings: { providers: { vendor: { adapter: 'llm/script' } } } },
    );
  });
  after(() => office.stop());
  beforeEach(() => {
    Object.assign(office.asking, { asks: [ask()], denies: false });
    model.answer(async () => said(`answer ${++text}`));
  });

  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(office.url() + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${office.keys.agent}`, ...headers },
      body: JSON.stringify(body),
    });
    const answered = await response.text();
    return { status: response.status, headers: response.headers, text: answered };
  };
  const refusal = async (path: string, body: object, headers = {}): Promise<Refusal & { readonly id: string }> => {
    const answer = await post(path, body, headers);
    expect(answer.status, answer.text).to.equal(403);
    expect(answer.headers.get('x-should-retry')).to.equal('false');
    const { error } = JSON.parse(answer.text);
    expect(error.type).to.equal(path === '/v1/messages' ? 'permission_error' : 'invalid_request_error');
    expect(error.code ?? error.details.error_code).to.equal('approval_required');
    const { orb } = error as { readonly orb: Refusal };
    const [{ approval_id = '', url = '' } = {}] = orb.reasons;
    expect(error.message).to.contain(approval_id).and.to.contain(url).and.to.contain('send the same call again');
    return { ...orb, id: approval_id };
  };
  const ended = (runId: string) =>
    until(
      async () => (await office.call('GET', `/runs/${runId}`)).body,
      ({ status }) => !['queued', 'held', 'running'].includes(status as string),
      `the end of ${runId}`,
    );
  const fresh = (body: object, words: string): object => ({ ...body, messages: [{ role: 'user', content: words }] });

  for (const [place, { path, body }] of doors.entries())
    it(`is refused at ${path}${'stream' in body ? ' as a stream' : ''}, and goes ahead once when it is approved`, async () => {
      const before = model.calls.length;
      const call = fresh(body, `call ${place}`);
      const first = await refusal(path, call);
      // Before the decision a repetition joins the open approval.
      const again = await refusal(path, call);
      expect([again.run_id, again.id]).to.deep.equal([first.run_id, first.id]);
      expect(first.reasons[0]).to.deep.include({ asked: ['office'] });
      expect(model.calls.length).to.equal(before);
      expect((await office.decide(first.id, 'ada')).body.state).to.equal('approved');
      const answer = await post(path, call);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.text).to.contain(`answer ${text}`).and.to.contain(first.run_id);
      if ('stream' in body) expect(answer.text).to.match(/data: \[DONE\]\n\n$/);
      expect(model.calls.length).to.equal(before + 1);
      const { receipt_id } = await ended(first.run_id);
      expect(answer.text).to.contain(receipt_id);
      const { body: receipt } = await office.call('GET', `/receipts/${receipt_id}`);
      expect(receipt.statement.predicate.facts.approval).to.include({ approval_id: first.id });
      expect(receipt.checks).to.deep.include({ name: 'approval_matches', result: 'pass' });
      // Another call shows that the answer has arrived: the same call is a new one then.
      await refusal(path, fresh(body, `other ${place}`));
      const next = await refusal(path, call);
      expect(next.id).not.to.equal(first.id);
      expect(model.calls.length).to.equal(before + 1);
    });

  it('is the same one for equal calls alone', async () => {
    const path = '/v1/chat/completions';
    const first = await refusal(path, fresh(chat, 'equal'));
    const others = [
      await refusal(path, fresh(chat, 'another')),
      await refusal(path, { ...fresh(chat, 'equal'), temperature: 1 }),
      await refusal(path, { ...fresh(chat, 'equal'), model: 'slow' }),
    ];
    for (const other of others) expect(other.id).not.to.equal(first.id);
    expect((await refusal(path, fresh(chat, 'equal'))).id).to.equal(first.id);
    const mine = await office.call('POST', '/v1/chat/completions', fresh(chat, 'equal'), office.keys.bob);
    expect(mine.body.error.orb.reasons[0].approval_id).not.to.equal(first.id);
  });

  it('waits for the end of its run once that is approved and under way', async () => {
    const call = fresh(chat, 'slow answer');
    const first = await refusal('/v1/chat/completions', call);
    const begun = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    model.answer(async () => (begun.resolve(), await over.promise, said('late')));
    await office.decide(first.id, 'ada');
    await begun.promise;
    const answer = post('/v1/chat/completions', call);
    over.resolve();
    expect((await answer).text)
      .to.contain('late')
      .and.to.contain(first.run_id);
  });

  it('is asked about again when a person refused it: nothing is sent', async () => {
    const before = model.calls.length;
    const call = fresh(chat, 'refused');
    const first = await refusal('/v1/chat/completions', call);
    await office.decide(first.id, 'bob', 'refuse');
    expect(await ended(first.run_id)).to.include({ status: 'denied', reason: 'approval_refused' });
    expect((await refusal('/v1/chat/completions', call)).id).not.to.equal(first.id);
    expect(model.calls.length).to.equal(before);
  });

  it('is one run under an Idempotency-Key, whose answer is kept', async () => {
    const headers = { 'idempotency-key': 'held-1' };
    const call = fresh(chat, 'with a key');
    const first = await refusal('/v1/chat/completions', call, headers);
    expect((await refusal('/v1/chat/completions', call, headers)).id).to.equal(first.id);
    const before = model.calls.length;
    await office.decide(first.id, 'ada');
    await ended(first.run_id);
    for (let turn = 0; turn < 2; turn += 1) {
      const answer = await post('/v1/chat/completions', call, headers);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.text).to.contain(first.run_id);
    }
    expect(model.calls.length).to.equal(before + 1);
  });

  it('waits over a restart, and its answer for the caller for most of a day', async () => {
    const call = fresh(chat, 'restart');
    const first = await refusal('/v1/chat/completions', call);
    await office.restart();
    expect((await refusal('/v1/chat/completions', call)).id).to.equal(first.id);
    await office.decide(first.id, 'ada');
    await ended(first.run_id);
    await office.restart();
    office.clock.set(new Date(office.clock.now() + 20 * 3_600_000).toISOString());
    const before = model.calls.length;
    const answer = await post('/v1/chat/completions', call);
    expect(answer.text).to.contain(first.run_id);
    expect(model.calls.length).to.equal(before);
  });
});
