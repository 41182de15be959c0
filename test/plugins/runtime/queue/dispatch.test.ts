import { expect } from 'chai';
import { definePlugin } from '../../../../kernel/index.ts';
import { until } from '../../../helpers/until.ts';
import { orb, startQueueing, type Queueing } from './queueing.ts';
import { storedBytes } from '../../../helpers/stored.ts';

// 1,000 in the soak.
const many = Number(process.env['QUEUE_RUNS'] ?? 100);
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe('a run whose turn comes', () => {
  let queueing: Queueing;
  before(async () => {
    queueing = await startQueueing();
  });
  after(() => queueing.platform.stop());
  const { call, key } = {
    call: (...args: Parameters<Queueing['platform']['call']>) => queueing.platform.call(...args),
    key: (body: object) => queueing.platform.key(body),
  };
  const sent = (token: string) => queueing.recorder.calls.filter((one) => one.token === token);

  it('is decided again, and the log of decisions has both with the run', async () => {
    const { body } = await queueing.ask('decided');
    const { policy } = await queueing.facts(await queueing.ended(body.run_id));
    expect([policy.decision, policy.accepted_decision_id === policy.decision_id]).to.deep.equal(['allow', false]);
    for (const id of [policy.accepted_decision_id, policy.decision_id])
      expect((await call('GET', `/policies/-/decisions/${id}`)).body).to.include({ run_id: body.run_id, allow: true });
  });

  it('is served by the provider that a swap has bound meanwhile', async () => {
    const { body } = await queueing.ask('swapped', { run_at: soon(1500) });
    expect((await call('POST', `/providers/${orb}/swap`, { provider: 'b' })).status).to.equal(200);
    const run = await queueing.ended(body.run_id);
    expect([run.status, run.provider, sent('swapped').map(({ provider }) => provider)]).to.deep.equal([
      ...['completed', 'b'],
      ['b'],
    ]);
  });

  it('shows its answer to its own caller alone', async () => {
    const own = await key({ name: 'own', scopes: [`orbs:execute:${orb}`] });
    const other = await key({ name: 'other', scopes: ['orbs:execute'] });
    const reader = await key({ name: 'reader', scopes: ['runs:read'] });
    const elsewhere = await key({ name: 'elsewhere', tenant: 'other', scopes: ['*'] }).catch(() => undefined);
    const asked = { orb_id: orb, inputs: { token: 'secret' }, mode: 'async' };
    const { run_id } = (await call('POST', '/orbisets/default/execute', asked, own)).body;
    await queueing.ended(run_id);
    const seenBy = async (by: string) => (await call('GET', `/runs/${run_id}?wait=1`, undefined, by)).body;
    expect((await seenBy(own)).outputs).to.include({ token: 'secret' });
    expect((await seenBy(other)).code).to.equal('run_not_found');
    const read = await seenBy(reader);
    expect([read.status, read.outputs]).to.deep.equal(['completed', undefined]);
    expect((await seenBy(queueing.platform.adminKey)).outputs).to.equal(undefined);
    if (elsewhere !== undefined) expect((await seenBy(elsewhere)).outputs).to.equal(undefined);
    const sync = await call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token: 'now' } }, own);
    expect((await call('GET', `/runs/${sync.body.run_id}`, undefined, own)).body.outputs).to.equal(undefined);
  });
});

describe(`${many} runs that wait when their key is revoked`, function () {
  this.timeout(120_000);

  it('end denied and send nothing; a run whose key has only expired is sent', async () => {
    let ahead = 0;
    const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() };
    const queueing = await startQueueing({ clock });
    const { call, key } = queueing.platform;
    const hour = 3_600_000;
    const gone = await call('POST', '/keys', { name: 'gone', scopes: ['orbs:execute'] });
    const late = await key({ name: 'late', scopes: ['orbs:execute'], expires_at: soon(hour / 2) });
    const body = { orb_id: orb, mode: 'async', run_at: soon(hour) };
    const ask = async (token: string, by: string) =>
      (await call('POST', '/orbisets/default/execute', { ...body, inputs: { token } }, by)).body.run_id as string;
    const revoked = await Promise.all(Array.from({ length: many }, () => ask('revoked', gone.body.key)));
    const expired = await ask('expired', late);
    expect((await call('DELETE', `/keys/${gone.body.key_id}`)).status).to.be.oneOf([200, 204]);
    ahead = hour + 1000;
    const looksDenied = async (runId: string): Promise<void> => {
      const { status, reason, ...run } = await queueing.ended(runId);
      expect([status, reason]).to.deep.equal(['denied', 'credential_revoked']);
      expect((await queueing.facts(run)).policy.reasons).to.deep.equal([{ code: 'credential_revoked' }]);
    };
    // A database answers 503 to more reads at once than may wait for it.
    for (let from = 0; from < revoked.length; from += 50)
      await Promise.all(revoked.slice(from, from + 50).map(looksDenied));
    expect((await queueing.ended(expired)).status).to.equal('completed');
    expect(queueing.recorder.calls.map(({ token }) => token)).to.deep.equal(['expired']);
    await queueing.platform.stop();
  });
});

describe('a denial of a run that was allowed when it was accepted', () => {
  it('ends it denied, with both decisions in the receipt, and sends nothing', async () => {
    let allow = true;
    const decider = definePlugin({
      name: 'decider',
      start: ({ hooks }) => {
        hooks.authorize.tap('decider', ({ context }) => ({
          ...{ allow, decision_id: String(context['decision_id']), policies: [], warns: 0, shadow_denies: 0 },
          reasons: allow ? [] : [{ code: 'no_more' }],
        }));
        return {};
      },
    });
    const queueing = await startQueueing({ plugins: [decider], settings: { authorize: 'decider' } });
    const denied = await startedDenied(queueing);
    expect([denied.status, denied.body.code]).to.deep.equal([403, 'access_denied']);
    allow = true;
    const { body } = await queueing.ask('turned', { run_at: soon(700) });
    allow = false;
    const run = await queueing.ended(body.run_id);
    expect([run.status, run.reason]).to.deep.equal(['denied', 'access_denied']);
    expect(run.problem).to.deep.include({ code: 'access_denied', reasons: [{ code: 'no_more' }] });
    const { policy } = await queueing.facts(run);
    expect(policy).to.deep.include({ decision: 'deny', reasons: [{ code: 'no_more' }] });
    expect(policy.accepted_decision_id).to.match(/^dec_/);
    expect(policy.accepted_decision_id).not.to.equal(policy.decision_id);
    expect(queueing.recorder.calls).to.deep.equal([]);
    await queueing.platform.stop();

    async function startedDenied({ ask }: Queueing) {
      allow = false;
      const answer = await ask('never');
      expect((await queueing.platform.call('GET', `/receipts/${answer.body.receipt.receipt_id}`)).status).to.equal(200);
      return answer;
    }
  });
});

describe('the store of runs that wait', () => {
  it('holds nothing readable of inputs and outputs, neither while they wait nor after their end', async () => {
    const queueing = await startQueueing();
    const word = 'unmistakable-4711';
    const { body } = await queueing.ask(word, { run_at: soon(800) });
    const isFound = async (text: string) => (await storedBytes(queueing.platform.home)).includes(text);
    expect(await isFound(body.run_id)).to.equal(true);
    expect(await isFound(word), 'while it waits').to.equal(false);
    const run = await queueing.ended(body.run_id);
    expect(run.outputs).to.include({ token: word });
    expect(await isFound(word), 'after its end').to.equal(false);
    await queueing.platform.stop();
  });
});

describe('a queue after a restart', () => {
  it('goes on with the runs that waited, in the order of their times', async () => {
    const first = await startQueueing();
    const later = await first.ask('later', { run_at: soon(2500) });
    const sooner = await first.ask('sooner', { run_at: soon(2000) }, { 'idempotency-key': 'again' });
    const { home } = first.platform;
    await first.platform.stop({ keep: true });
    const second = await startQueueing({ home, recorder: first.recorder });
    for (const { body } of [later, sooner]) expect((await second.ended(body.run_id)).status).to.equal('completed');
    expect(first.recorder.calls.map(({ token }) => token)).to.deep.equal(['sooner', 'later']);
    const again = await second.ask('sooner', { run_at: sooner.body.run_at }, { 'idempotency-key': 'again' });
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([200, 'true']);
    await until(
      async () => (await second.platform.call('GET', '/runs')).body.runs.length as number,
      (count) => count === 2,
    );
    await second.platform.stop();
  });
});

describe('the end of a server with runs that wait', () => {
  it('answers who waits for one, and does not wait for its turn', async () => {
    const queueing = await startQueueing();
    const { body } = await queueing.ask('far', { run_at: soon(600_000) });
    const waits = queueing.platform.call('GET', `/runs/${body.run_id}?wait=60`);
    await until(
      async () => (await queueing.platform.call('GET', '/metrics')).body as unknown as string,
      (text) => /^orb_queued_runs 1$/m.test(text),
    );
    const begun = Date.now();
    await queueing.platform.stop();
    expect((await waits).body).to.include({ run_id: body.run_id, status: 'queued' });
    expect(Date.now() - begun).to.be.lessThan(20_000);
  });
});

describe('an Orbiset with runs that wait', () => {
  it('is not taken out of service until they have ended', async () => {
    const queueing = await startQueueing();
    const { call } = queueing.platform;
    const made = await call('POST', '/orbisets', { id: 'short', tenant: 'default', orbs: ['*'] });
    expect(made.status).to.equal(201);
    const asked = { orb_id: orb, inputs: { token: 'x' }, mode: 'async', run_at: soon(600_000) };
    const { run_id } = (await call('POST', '/orbisets/short/execute', asked)).body;
    const refused = await call('DELETE', '/orbisets/short');
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'runs_open']);
    await call('POST', `/runs/${run_id}/cancel`);
    expect((await call('DELETE', '/orbisets/short')).status).to.be.oneOf([200, 204]);
    await queueing.platform.stop();
  });
});
