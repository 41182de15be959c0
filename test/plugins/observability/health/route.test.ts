import { expect } from 'chai';
import { createRecorder, recordOrb } from '../../../helpers/recorder.ts';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import { ProviderError } from '../../../../kernel/adapter.ts';

const orb = 'test.record@1.0.0';
const secret = 'Qz7-hidden-note-55';

describe('the health of a provider over time', () => {
  const recorder = createRecorder();
  let platform: TestPlatform;
  before(async () => {
    const provider = (name: string) => ({ adapter: 'record/local', config: { name, note: secret } });
    platform = await startPlatform({
      adapters: [recorder.adapter],
      platform: { providers: { main: provider('main'), spare: provider('spare') }, bindings: { [orb]: ['main'] } },
      data: { [`orbs/${orb}.json`]: recordOrb() },
    });
  });
  after(() => platform.stop());

  const health = (query = '', name = 'main') => platform.call('GET', `/providers/${name}/health${query}`);
  const run = () => platform.call('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token: 'x' } });
  const status = async () => (await platform.call('GET', `/providers/${orb}/status`)).body.providers[0];

  it('is noted with its reason, which holds no value of its settings, and has an end', async () => {
    const remedy = 'check the password in its settings';
    recorder.behaviour['main'] = {
      execute: () => {
        throw new ProviderError('provider_fault', `the server refused ${secret}`, { remedy });
      },
    };
    for (let calls = 0; calls < 5; calls++) await run();
    const open = await status();
    expect([open.health, open.breaker]).to.deep.equal(['down', 'open']);
    expect(Date.parse(open.breaker_since)).to.be.at.most(Date.now());
    const { body } = await until(health, ({ body: { changes } }) => changes[0]?.health === 'down');
    expect(body.changes[0].reason).to.equal(`the server refused …; ${remedy}`);
    const last = body.points.at(-1);
    expect([last.health, last.reason]).to.deep.equal(['down', body.changes[0].reason]);
    recorder.behaviour['main'] = undefined;
    await until(
      async () => (await run()).status,
      (code) => code === 200,
    );
    await until(health, ({ body: { changes } }) => changes[0]?.now === 'up');
    expect(await status()).to.not.have.property('breaker_since');
  });

  it('is by the hour or by the day, in whole steps, and ends now', async () => {
    for (const [query, step, most] of [
      ['', 'hour', 24],
      ['?step=day', 'day', 30],
    ] as const) {
      const { body, status: code } = await health(query);
      const length = step === 'hour' ? 3_600_000 : 86_400_000;
      expect([code, body.step, (Date.parse(body.to) - Date.parse(body.from)) / length]).to.deep.equal([
        200,
        step,
        most,
      ]);
    }
  });

  it('is empty for a provider that was never measured', async () => {
    const { body } = await health('', 'spare');
    expect([body.points, body.changes]).to.deep.equal([[], []]);
  });

  it('refuses other steps', async () => {
    const { body, status: code } = await health('?step=minute');
    expect([code, body.code]).to.deep.equal([400, 'invalid_parameter']);
  });

  it('takes the scope providers:read', async () => {
    const key = await platform.key({ name: 'caller', scopes: ['orbs:execute'] });
    expect((await platform.call('GET', '/providers/main/health', undefined, key)).status).to.equal(403);
  });

  it('comes with the swaps from and to a provider', async () => {
    const swapped = await platform.call('POST', `/providers/${orb}/swap`, { provider: 'spare' });
    expect(swapped.status, JSON.stringify(swapped.body)).to.equal(200);
    for (const [provider, count] of [
      ['main', 1],
      ['spare', 1],
      ['other', 0],
    ] as const) {
      const { body } = await platform.call('GET', `/swaps?provider=${provider}`);
      expect(body.swaps, provider).to.have.length(count);
    }
  });
});
