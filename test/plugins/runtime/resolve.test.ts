import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { createRecorder, recordOrb, type Recorder } from '../../helpers/recorder.ts';

const orb = 'test.record@1.0.0';

describe('a run whose outcome is unknown', () => {
  let recorder: Recorder;
  let platform: TestPlatform;
  beforeEach(async () => {
    recorder = createRecorder();
    platform = await startPlatform({
      platform: {
        providers: {
          a: { adapter: 'record/local', config: { name: 'a' } },
          b: { adapter: 'record/sandbox', config: { name: 'b' } },
        },
      },
      data: { [`orbs/${orb}.json`]: recordOrb() },
      adapters: [recorder.adapter, { ...recorder.adapter, name: 'record/sandbox', sandbox: true }],
    });
  });
  afterEach(() => platform.stop());

  async function indeterminate(key = platform.adminKey): Promise<Answer['body']> {
    const silent = { execute: () => Promise.reject(new Error('the line broke')) };
    Object.assign(recorder.behaviour, { a: silent, b: silent });
    const asked = { orb_id: orb, inputs: { token: 'x' } };
    const { status, body } = await platform.call('POST', '/orbisets/default/execute', asked, key);
    Object.assign(recorder.behaviour, { a: undefined, b: undefined });
    expect([status, body.code, body.retryable]).to.deep.equal([504, 'outcome_unknown', false]);
    return body;
  }
  const resolve = (runId: string, body: object, key?: string): Promise<Answer> =>
    platform.call('POST', `/runs/${runId}/resolve`, body, key ?? platform.adminKey);

  for (const [outcome, status, outcomeClass] of [
    ['sent', 'completed', 'ok'],
    ['not_sent', 'failed', 'orb_fault'],
  ] as const) {
    it(`is listed, and resolved as ${outcome} it is ${status}; the run and its receipt show both`, async () => {
      const { run_id, receipt } = await indeterminate();
      expect(
        (await platform.call('GET', '/runs?status=indeterminate')).body.runs.map((run: Answer['body']) => run.run_id),
      ).to.deep.equal([run_id]);
      const resolved = await resolve(run_id, { outcome, note: 'asked the vendor by telephone' });
      expect(resolved.status).to.equal(200);
      expect(resolved.body).to.include({ run_id, status, receipt_id: receipt.receipt_id });
      const { resolution } = resolved.body;
      expect((await platform.call('GET', `/runs/${run_id}`)).body).to.include({ status, resolution });
      expect((await platform.call('GET', `/receipts/${receipt.receipt_id}`)).body).to.include({
        signature_valid: true,
        resolution,
      });
      const attested = (await platform.call('GET', `/receipts/${resolution}`)).body;
      expect(attested.signature_valid).to.equal(true);
      const { predicate, predicateType } = attested.statement;
      expect(predicateType).to.equal('urn:agent-orb:resolution:v1');
      expect(predicate).to.include({ run_id, sequence: 2 });
      expect(predicate.facts).to.include({ outcome, status, by: 'operator' });
      expect(predicate.facts.resolves).to.include({ receipt_id: receipt.receipt_id });
      expect(predicate.score_fact).to.include({ supersedes: 'orb_fault', outcome_class: outcomeClass });
      expect(JSON.stringify(attested)).not.to.include('telephone');
      expect((await platform.call('GET', '/runs?status=indeterminate')).body.runs).to.deep.equal([]);
    });
  }

  it('is resolved once: a second resolution is a conflict, and so is one of a run that completed', async () => {
    const { run_id } = await indeterminate();
    expect((await resolve(run_id, { outcome: 'sent' })).status).to.equal(200);
    const again = await resolve(run_id, { outcome: 'not_sent' });
    expect([again.status, again.body.code]).to.deep.equal([409, 'resolution_conflict']);
    const done = await platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token: 'y' } });
    expect((await resolve(done.body.run_id, { outcome: 'sent' })).body.code).to.equal('resolution_conflict');
  });

  it('of two resolutions at once one wins', async () => {
    const { run_id } = await indeterminate();
    const both = await Promise.all([resolve(run_id, { outcome: 'sent' }), resolve(run_id, { outcome: 'not_sent' })]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
  });

  it('is resolved by a live key, or by a test key when it ran in the sandbox', async () => {
    const trial = await platform.key({ scopes: ['*'], mode: 'test' });
    const live = await indeterminate();
    const refused = await resolve(live.run_id, { outcome: 'sent' }, trial);
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'insufficient_scope']);
    expect((await platform.call('GET', `/runs/${live.run_id}`)).body.status).to.equal('indeterminate');
    for (const key of [trial, platform.adminKey]) {
      const { run_id } = await indeterminate(trial);
      expect((await platform.call('GET', `/runs/${run_id}`)).body.mode).to.equal('sandbox');
      expect((await resolve(run_id, { outcome: 'sent' }, key)).status).to.equal(200);
    }
  });

  it('needs runs:resolve, and is not found by another tenant', async () => {
    const { run_id } = await indeterminate();
    const reader = await platform.key({ scopes: ['runs:read'] });
    expect((await resolve(run_id, { outcome: 'sent' }, reader)).body.code).to.equal('insufficient_scope');
    const other = await platform.key({ scopes: ['runs:resolve'], tenant: 'acme' });
    expect((await resolve(run_id, { outcome: 'sent' }, other)).body.code).to.equal('run_not_found');
    expect((await resolve('run_nothing', { outcome: 'sent' })).status).to.equal(404);
    expect((await resolve(run_id, { outcome: 'maybe' })).status).to.equal(422);
  });
});
