import { expect } from 'chai';
import { definePlugin } from '../../../../kernel/index.ts';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';

const orb_id = 'test.record@1.0.0';

describe('a call that asks for the sandbox or for a preview', () => {
  const recorder = createRecorder();
  const asked: { readonly mode: string; readonly token: unknown }[] = [];
  let allow = true;
  let platform: TestPlatform;
  before(async () => {
    const decider = definePlugin({
      name: 'decider',
      start: ({ hooks }) => {
        hooks.authorize.tap('decider', ({ subject, context }) => {
          const { token } = context['inputs'] as { readonly token: unknown };
          asked.push({ mode: String((subject as { readonly mode?: string }).mode), token });
          return {
            ...{ allow, policies: ['mail.rego'], warns: 1, shadow_denies: 0 },
            reasons: allow ? [] : [{ code: 'not_now', policy: 'mail.rego' }],
          };
        });
        return {};
      },
    });
    const provider = (adapter: string, name: string) => ({ adapter: `record/${adapter}`, config: { name } });
    platform = await startPlatform({
      plugins: [decider],
      adapters: [recorder.adapter, { ...recorder.adapter, name: 'record/sandbox', sandbox: true }],
      platform: {
        authorize: 'decider',
        providers: { real: provider('local', 'real'), trial: provider('sandbox', 'trial') },
        bindings: { [orb_id]: ['real', 'trial'] },
      },
      data: { [`orbs/${orb_id}.json`]: recordOrb() },
    });
  });
  after(() => platform.stop());
  beforeEach(() => {
    allow = true;
    recorder.calls.length = 0;
    asked.length = 0;
  });
  const body = (token: string, more: object = {}) => ({ orb_id, inputs: { token }, ...more });
  const execute = (sent: object) => platform.call('POST', '/orbisets/default/execute', sent);
  const preview = (sent: object, key?: string) => platform.call('POST', '/orbisets/default/preview', sent, key);
  const runs = async () => (await platform.call('GET', '/runs?limit=100')).body.runs.length as number;
  const providers = () => recorder.calls.map(({ provider }) => provider);

  it('is served by a sandbox provider, whatever the key, and the policy is asked as for a test key', async () => {
    const { body: answer } = await execute(body('dry', { sandbox: true }));
    expect([answer.status, providers()]).to.deep.equal(['completed', ['trial']]);
    expect(asked).to.deep.equal([{ mode: 'test', token: 'dry' }]);
    expect((await platform.call('GET', `/runs/${answer.run_id}`)).body.mode).to.equal('sandbox');
  });

  it('stays in the sandbox while it waits for its turn', async () => {
    const { body: answer } = await execute(body('later', { sandbox: true, mode: 'async' }));
    const { body: run } = await platform.call('GET', `/runs/${answer.run_id}?wait=20`);
    expect([run.status, run.mode, providers()]).to.deep.equal(['completed', 'sandbox', ['trial']]);
    expect(asked.map(({ mode }) => mode)).to.deep.equal(['test', 'test']);
  });

  it('is another call than the live one under the same Idempotency-Key', async () => {
    const send = async (sent: object) =>
      fetch(`${platform.url}/orbisets/default/execute`, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${platform.adminKey}`, 'content-type': 'application/json' },
          'idempotency-key': 'one',
        },
        body: JSON.stringify(sent),
      });
    expect((await send(body('same', { sandbox: true }))).status).to.equal(200);
    const live = await send(body('same'));
    expect([live.status, ((await live.json()) as { code: string }).code]).to.deep.equal([422, 'idempotency_mismatch']);
  });

  it('says which providers may serve it and what is decided, and does nothing', async () => {
    const before = await runs();
    const { status, body: live } = await preview(body('what if'));
    expect([status, live]).to.deep.equal([
      200,
      {
        ...{ orb_id, effect: 'irreversible', mode: 'live', decision: 'allow', reasons: [], policies: ['mail.rego'] },
        ...{ warns: 1, shadow_denies: 0 },
        providers: [{ name: 'real', adapter: 'record/local', health: 'up' }],
      },
    ]);
    const { body: trial } = await preview(body('what if', { sandbox: true }));
    expect([trial.mode, trial.providers[0].name]).to.deep.equal(['sandbox', 'trial']);
    expect([await runs(), recorder.calls]).to.deep.equal([before, []]);
  });

  it('tells a denial with its reasons, without a receipt', async () => {
    allow = false;
    const before = (await platform.call('GET', '/receipts?limit=1')).body.receipts[0]?.receipt_id;
    const { body: denied } = await preview(body('no'));
    expect([denied.decision, denied.reasons]).to.deep.equal(['deny', [{ code: 'not_now', policy: 'mail.rego' }]]);
    expect((await platform.call('GET', '/receipts?limit=1')).body.receipts[0]?.receipt_id).to.equal(before);
  });

  it('is refused like the run: inputs, Orb, Orbiset and scope', async () => {
    const key = await platform.key({ name: 'other', scopes: ['orbs:execute:demo.*'] });
    const rows = [
      [await preview({ orb_id, inputs: { token: 7 } }), 422, 'invalid_inputs'],
      [await preview({ orb_id: 'none.such@1.0.0', inputs: {} }), 404, 'orb_not_found'],
      [await platform.call('POST', '/orbisets/none/preview', body('x')), 404, 'orbiset_not_found'],
      [await preview(body('x'), key), 403, 'insufficient_scope'],
    ] as const;
    for (const [answer, status, code] of rows) expect([answer.status, answer.body.code]).to.deep.equal([status, code]);
  });

  it('counts denied previews as denied runs: a key learns no faster what is denied', async () => {
    allow = false;
    const key = await platform.key({ name: 'curious', scopes: ['orbs:execute'] });
    const answers = await Promise.all(Array.from({ length: 14 }, () => preview(body('again'), key)));
    expect(answers.filter(({ status }) => status === 429).length).to.be.at.least(1);
  });
});
