import { expect } from 'chai';
import { orb, send, startQueueing, type Queueing } from './queueing.ts';

describe('a run that its caller does not wait for', () => {
  let queueing: Queueing;
  before(async () => {
    queueing = await startQueueing();
  });
  after(() => queueing.platform.stop());
  const path = '/orbisets/default/execute';

  it('is answered 202 with where it is, and ends as a synchronous one does', async () => {
    const { status, headers, body } = await queueing.ask('one');
    expect(status).to.equal(202);
    expect(headers.get('location')).to.equal(`/runs/${body.run_id}`);
    expect(headers.get('preference-applied')).to.equal('respond-async');
    expect(headers.get('retry-after')).to.equal('1');
    expect(body).to.include({ status: 'queued', position: 1 });
    const self = `/runs/${body.run_id}`;
    expect(body.links).to.deep.equal({ self, events: `/events?run_id=${body.run_id}`, cancel: `${self}/cancel` });
    const run = await queueing.ended(body.run_id);
    expect(run).to.include({ status: 'completed', provider: 'a', orb_id: orb });
    expect(run.outputs).to.deep.include({ token: 'one', by: 'a' });
    expect(queueing.recorder.calls.filter(({ token }) => token === 'one')).to.have.length(1);
    const { policy, attempts } = await queueing.facts(run);
    expect(policy).to.include({ decision: 'allow' });
    expect(attempts).to.have.length(1);
  });

  it('may be asked for by the header Prefer, and waited for in the same request', async () => {
    const asked = { orb_id: orb, inputs: { token: 'two' } };
    const later = await send(queueing.platform, path, asked, { prefer: 'respond-async' });
    expect(later.status).to.equal(202);
    const now = await send(queueing.platform, path, asked, { prefer: 'respond-async, wait=20' });
    expect([now.status, now.headers.get('preference-applied')]).to.deep.equal([200, 'respond-async, wait=20']);
    expect(now.body).to.include({ status: 'completed' });
    expect(now.body.receipt.signature_valid).to.equal(true);
  });

  it('answers its problem where a synchronous call would', async () => {
    queueing.recorder.behaviour['a'] = { execute: () => Promise.reject(new Error('the line broke')) };
    const { body } = await queueing.ask('three');
    const run = await queueing.ended(body.run_id);
    queueing.recorder.behaviour['a'] = undefined;
    expect(run.status).to.equal('indeterminate');
    expect(run.problem).to.include({ code: 'outcome_unknown', run_id: body.run_id, run_status: 'indeterminate' });
  });

  for (const [name, body, pointer] of [
    ['a time for a synchronous run', { mode: undefined, run_at: '2030-01-01T00:00:00Z' }, '#/run_at'],
    ['a patience for a synchronous run', { mode: undefined, expires_in_s: 5 }, '#/expires_in_s'],
    ['a time too far away', { run_at: '2099-01-01T00:00:00Z' }, '#/run_at'],
    ['a guard against repetition', { repeat_guard: true }, '#/repeat_guard'],
    ['inputs that do not fit', { inputs: { token: 5 } }, '#/inputs/token'],
  ] as const) {
    it(`refuses ${name}`, async () => {
      const answer = await queueing.ask('x', body);
      expect([answer.status, answer.body.errors?.[0]?.pointer]).to.deep.equal([422, pointer]);
    });
  }

  it('begins no earlier than asked, and waits no longer than asked', async () => {
    const { body } = await queueing.ask('later', { run_at: new Date(Date.now() + 3_600_000).toISOString() });
    const { body: run } = await queueing.platform.call('GET', `/runs/${body.run_id}`);
    expect(run).to.include({ status: 'queued', run_at: body.run_at });
    expect(Date.parse(run.expires_at) - Date.parse(run.run_at)).to.equal(3_600_000);
    expect((await queueing.platform.call('POST', `/runs/${body.run_id}/cancel`)).status).to.equal(200);
  });
});

describe('the Idempotency-Key of a run that waits', () => {
  let queueing: Queueing;
  before(async () => {
    queueing = await startQueueing();
  });
  after(() => queueing.platform.stop());

  it('gets the same 202, and later the answer of the run', async () => {
    const go = Promise.withResolvers<undefined>();
    queueing.recorder.behaviour['a'] = { execute: () => go.promise };
    const headers = { 'idempotency-key': 'k1' };
    const first = await queueing.ask('once', {}, headers);
    const again = await queueing.ask('once', {}, headers);
    expect([first.status, again.status, again.body.run_id]).to.deep.equal([202, 202, first.body.run_id]);
    const other = await queueing.ask('another', {}, headers);
    expect([other.status, other.body.code]).to.deep.equal([422, 'idempotency_mismatch']);
    go.resolve(undefined);
    const run = await queueing.ended(first.body.run_id);
    const last = await queueing.ask('once', {}, headers);
    expect([last.status, last.headers.get('idempotent-replayed')]).to.deep.equal([200, 'true']);
    expect([last.body.run_id, last.body.receipt.receipt_id]).to.deep.equal([run.run_id, run.receipt_id]);
    expect(queueing.recorder.calls.filter(({ token }) => token === 'once')).to.have.length(1);
  });
});
