import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { until } from '../../../helpers/until.ts';
import { harmlessOrb, startQueueing, type Queueing } from './queueing.ts';

describe('cancelling a run', () => {
  let queueing: Queueing;
  before(async () => {
    queueing = await startQueueing({ orbiset: { limits: { async_concurrency: 1 } } });
  });
  afterEach(() => {
    for (const name of ['a', 'b']) queueing.recorder.behaviour[name] = undefined;
  });
  after(() => queueing.platform.stop());
  const cancel = (runId: string, key?: string) =>
    queueing.platform.call('POST', `/runs/${runId}/cancel`, undefined, key ?? queueing.platform.adminKey);
  const statusOf = async (runId: string) => (await queueing.platform.call('GET', `/runs/${runId}`)).body.status;
  const sent = (token: string) => queueing.recorder.calls.filter((call) => call.token === token).length;
  const running = (runId: string) =>
    until(
      () => statusOf(runId),
      (status) => status === 'running',
      'the run to begin',
    );

  async function expectCancelled(runId: string): Promise<void> {
    const { status, body } = await cancel(runId);
    expect([status, body.status, body.reason]).to.deep.equal([200, 'cancelled', 'run_cancelled']);
    expect(body.problem).to.include({ code: 'run_cancelled', run_status: 'cancelled' });
    const receipt = await queueing.platform.call('GET', `/receipts/${body.receipt_id}`);
    expect([receipt.body.signature_valid, receipt.body.statement.predicate.status]).to.deep.equal([true, 'cancelled']);
  }

  it('that waits for its time ends it, with a receipt', async () => {
    const { body } = await queueing.ask('early', { run_at: new Date(Date.now() + 600_000).toISOString() });
    await expectCancelled(body.run_id);
    expect(sent('early')).to.equal(0);
  });

  it('that waits for another one ends it', async () => {
    const go = Promise.withResolvers<undefined>();
    queueing.recorder.behaviour['a'] = { execute: () => go.promise };
    const first = await queueing.ask('first');
    await running(first.body.run_id);
    const second = await queueing.ask('second');
    await expectCancelled(second.body.run_id);
    go.resolve(undefined);
    expect((await queueing.ended(first.body.run_id)).status).to.equal('completed');
    expect([sent('first'), sent('second')]).to.deep.equal([1, 0]);
  });

  it('that is under way and has sent nothing ends it', async () => {
    const tried = Promise.withResolvers<undefined>();
    const notSent = { execute: () => Promise.reject(new ProviderError('not_sent', 'no route', { phase: 'connect' })) };
    queueing.recorder.behaviour['a'] = {
      execute: () => {
        tried.resolve(undefined);
        return notSent.execute();
      },
    };
    queueing.recorder.behaviour['b'] = notSent;
    const { body } = await queueing.ask('nowhere');
    await tried.promise;
    await expectCancelled(body.run_id);
  });

  it('that was dispatched is refused: its outcome decides', async () => {
    const go = Promise.withResolvers<undefined>();
    const called = Promise.withResolvers<undefined>();
    queueing.recorder.behaviour['a'] = { execute: () => (called.resolve(undefined), go.promise) };
    const { body } = await queueing.ask('gone');
    await called.promise;
    const refused = await cancel(body.run_id);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'run_dispatched']);
    go.resolve(undefined);
    expect((await queueing.ended(body.run_id)).status).to.equal('completed');
  });

  it('that was dispatched and changes nothing ends its call', async () => {
    const called = Promise.withResolvers<undefined>();
    queueing.recorder.behaviour['a'] = {
      execute: (_, signal) =>
        new Promise((__, reject) => {
          called.resolve(undefined);
          signal.addEventListener('abort', () => reject(new ProviderError('unknown', 'aborted')));
        }),
    };
    const { body } = await queueing.ask('look', { orb_id: harmlessOrb });
    await called.promise;
    await expectCancelled(body.run_id);
  });

  it('that has ended is refused', async () => {
    const { body } = await queueing.ask('done');
    await queueing.ended(body.run_id);
    const refused = await cancel(body.run_id);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'run_ended']);
  });

  it('needs the scope, and for the run of another principal the one of all', async () => {
    const { body } = await queueing.ask('mine', { run_at: new Date(Date.now() + 600_000).toISOString() });
    const keyWith = (...scopes: string[]) => queueing.platform.key({ name: scopes.join(), scopes });
    const codeFor = async (...scopes: string[]) => (await cancel(body.run_id, await keyWith(...scopes))).body.code;
    expect(await codeFor('runs:read')).to.equal('insufficient_scope');
    expect(await codeFor('runs:cancel', 'runs:read')).to.equal('insufficient_scope');
    expect(await codeFor('runs:cancel'), 'the caller may not see it').to.equal('run_not_found');
    expect((await cancel('run_none', await keyWith('runs:cancel'))).body.code).to.equal('run_not_found');
    const elsewhere = await queueing.platform.key({ name: 'x', tenant: 'other', scopes: ['runs:manage'] });
    expect((await cancel(body.run_id, elsewhere)).body.code).to.equal('run_not_found');
    const managed = await cancel(body.run_id, await keyWith('runs:manage'));
    expect([managed.status, managed.body.status]).to.deep.equal([200, 'cancelled']);
  });

  it('frees the Orb and the Orbiset: they count no open run', async () => {
    const { body } = await queueing.ask('held', { run_at: new Date(Date.now() + 600_000).toISOString() });
    const before = await queueing.platform.call('GET', '/runs?status=queued');
    expect(before.body.runs.map((run: { run_id: string }) => run.run_id)).to.deep.equal([body.run_id]);
    await expectCancelled(body.run_id);
    expect((await queueing.platform.call('GET', '/runs?status=queued')).body.runs).to.deep.equal([]);
  });
});
