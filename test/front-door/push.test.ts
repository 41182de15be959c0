import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';
import { storedBytes } from '../helpers/stored.ts';
import { startVendor, type VendorServer } from '../helpers/vendor.ts';
import { text } from '../providers/push/vendors/bed.ts';
import { serviceBed, vapid } from '../providers/push/vendors/service.ts';

const orb_id = 'notify.push@1.0.0';

describe('push messages through the front door', function () {
  let platform: TestPlatform;
  let service: VendorServer;
  const logged: string[] = [];
  const answered: string[] = [];

  before(async () => {
    service = await startVendor(serviceBed.contract);
    const { private_key: _, ...config } = { ...serviceBed.config(service.url), ...vapid };
    platform = await startPlatform({
      env: { VAPID_PRIVATE_KEY: vapid.private_key },
      onLog: (line) => logged.push(line),
      platform: {
        providers: {
          browsers: { adapter: 'push/webpush', config: { ...config, private_key: { $env: 'VAPID_PRIVATE_KEY' } } },
          outbox: { adapter: 'push/outbox' },
        },
      },
    });
  });
  after(async () => {
    await platform?.stop();
    await service?.close();
  });
  const call = async (method: string, path: string, body?: object, key?: string) => {
    const answer = await platform.call(method, path, body, key);
    answered.push(JSON.stringify([...answer.headers, answer.body]));
    return answer;
  };
  const execute = (key?: string) =>
    call('POST', '/orbisets/default/execute', { orb_id, inputs: { ...text, to: serviceBed.to(service.url) } }, key);

  it('reach the push service, and the answer has its id', async () => {
    const { status, body } = await execute();
    expect([status, body.outputs]).to.deep.equal([200, { message_id: serviceBed.id, status: 'accepted' }]);
    expect(service.taken).to.equal(1);
  });

  it('to a subscription that has ended are 422 with the reason, so that the caller removes it', async () => {
    service.fault = { status: 410 };
    const { status, body } = await execute();
    service.fault = undefined;
    expect([status, body.code, body.provider_reason]).to.deep.equal([422, 'provider_rejected', 'recipient_gone']);
    const run = await call('GET', `/runs/${String(body.run_id)}`);
    expect(run.body.status).to.equal('failed');
  });

  it('of a key for tests go to the outbox alone', async () => {
    const key = await platform.key({ name: 'tests', scopes: ['orbs:execute'], mode: 'test' });
    const { taken } = service;
    expect((await execute(key)).body.outputs).to.have.property('status', 'accepted');
    expect(service.taken).to.equal(taken);
    expect(readdirSync(join(platform.stateDir, 'outbox'))[0]).to.match(/^[a-z0-9]{52}\.push\.json$/);
  });

  it('leave the endpoint, the keys of the browser and the private key nowhere', async () => {
    for (const fault of [
      'lost',
      { status: 500, body: 'x' },
      { status: 403, body: { reason: 'BadJwtToken' } },
    ] as const) {
      service.fault = fault;
      await execute();
    }
    service.fault = undefined;
    for (const path of ['/runs', '/receipts', `/providers/${orb_id}/status`, '/health']) await call('GET', path);
    const stored = (await storedBytes(platform.home)).toString('latin1');
    for (const secret of serviceBed.secrets) {
      expect(answered.join('\n').includes(secret), 'in an answer').to.equal(false);
      expect(logged.join('\n').includes(secret), 'in the log').to.equal(false);
      expect(stored.includes(secret), 'in the store').to.equal(false);
    }
  });
});
