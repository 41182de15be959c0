import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { canonical, definePlugin } from '../../../kernel/index.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { waywardAdapter, waywardOrb } from '../../helpers/wayward.ts';
import { storedBytes } from '../../helpers/stored.ts';

const inputs = { behaviour: 'answers', echo: 'needle' };

describe('an execute call with disclose: true', () => {
  let platform: TestPlatform;
  let allow: boolean;
  const decider = definePlugin({
    name: 'decider',
    start: ({ hooks }) => {
      hooks.authorize.tap('decider', () => ({ allow, policies: [], reasons: [], warns: 0, shadow_denies: 0 }));
      return {};
    },
  });
  const options = {
    platform: { providers: { w: { adapter: 'wayward/local', config: {} } }, authorize: 'decider' },
    data: {
      'orbs/test.none@1.0.0.json': waywardOrb('none'),
      'orbs/test.reversible@1.0.0.json': waywardOrb('reversible'),
    },
    adapters: [waywardAdapter],
    plugins: [decider],
  };
  beforeEach(async () => {
    allow = true;
    platform = await startPlatform(options);
  });
  afterEach(() => platform.stop());

  async function execute(more: object, key?: string): Promise<Answer> {
    const response = await fetch(`${platform.url}/orbisets/default/execute`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${platform.adminKey}`,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify({ orb_id: 'test.none@1.0.0', inputs, ...more }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }
  const commitments = async ({ receipt }: Answer['body']) =>
    (await platform.call('GET', `/receipts/${receipt.receipt_id}`)).body.statement.predicate.facts;
  const committed = (salt: string, value: unknown): string =>
    `sha256:${createHash('sha256').update(Buffer.from(salt, 'base64')).update(canonical(value)).digest('hex')}`;

  it('answers the salts by which the caller can prove what the receipt commits to; the server keeps nothing', async () => {
    const { body, status } = await execute({ disclose: true });
    expect([status, Object.keys(body.opening)]).to.deep.equal([200, ['inputs_salt', 'outputs_salt']]);
    expect(body.receipt).to.have.all.keys('receipt_id', 'trust_score', 'risk_level', 'signature_valid', 'timestamp');
    const facts = await commitments(body);
    expect(committed(body.opening.inputs_salt, inputs)).to.equal(facts.inputs.commitment);
    expect(committed(body.opening.outputs_salt, body.outputs)).to.equal(facts.outputs.commitment);
    const kept = await platform.call('GET', `/receipts/${body.receipt.receipt_id}?disclose=inputs,outputs`);
    expect(kept.body.disclosed).to.deep.equal({});
  });

  it('answers no opening unless it is asked for', async () => {
    for (const more of [{}, { disclose: false }]) expect((await execute(more)).body).not.to.have.property('opening');
    expect((await execute({ disclose: 'yes' })).body.code).to.equal('invalid_body');
  });

  it('answers it with the problem of a run that failed: the salt of what there is', async () => {
    const rejected = (await execute({ inputs: { behaviour: 'is rejected' }, disclose: true })).body;
    expect([rejected.code, Object.keys(rejected.opening)]).to.deep.equal(['provider_rejected', ['inputs_salt']]);
    expect(committed(rejected.opening.inputs_salt, { behaviour: 'is rejected' })).to.equal(
      (await commitments(rejected)).inputs.commitment,
    );
    const broken = (await execute({ inputs: { behaviour: 'answers other fields' }, disclose: true })).body;
    expect(committed(broken.opening.outputs_salt, { wrong: true })).to.equal(
      (await commitments(broken)).outputs.commitment,
    );
    allow = false;
    const denied = (await execute({ disclose: true })).body;
    expect([denied.code, Object.keys(denied.opening)]).to.deep.equal(['access_denied', ['inputs_salt']]);
  });

  it('is answered again under its Idempotency-Key, sealed at rest, also after a restart', async () => {
    const ask = () => execute({ orb_id: 'test.reversible@1.0.0', disclose: true }, 'k1');
    const first = await ask();
    const failing = () =>
      execute({ orb_id: 'test.reversible@1.0.0', inputs: { behaviour: 'is unknown' }, disclose: true }, 'k2');
    const failed = await failing();
    expect((await ask()).body).to.deep.equal(first.body);
    await platform.stop({ keep: true });
    const salts = [...Object.values(first.body.opening), failed.body.opening.inputs_salt].map(String);
    const stored = await storedBytes(platform.home);
    for (const salt of salts)
      expect([stored.includes(salt), stored.includes(Buffer.from(salt, 'base64'))]).to.deep.equal([false, false]);
    platform = await startPlatform({ ...options, home: platform.home });
    const again = await ask();
    expect([again.headers.get('idempotent-replayed'), again.body]).to.deep.equal(['true', first.body]);
    expect((await failing()).body.opening).to.deep.equal(failed.body.opening);
  });

  it('belongs to what the key was first used for: the same key without it is refused', async () => {
    await execute({ disclose: true }, 'k1');
    expect((await execute({}, 'k1')).body.code).to.equal('idempotency_mismatch');
  });
});
