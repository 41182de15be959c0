import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from './helpers/platform.ts';

const email = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };

// The statements of the API specification, section by section, in its order.
describe('the API specification', () => {
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  const execute = (body: object, id = 'default'): Promise<Answer> =>
    platform.call('POST', `/orbisets/${id}/execute`, body);

  describe('2.1 execution request', () => {
    it('takes orb_id, a string of the shape <namespace>.<orb-name>@<version>', async () => {
      expect((await execute({ orb_id: 'notify.email@1.0.0', inputs: email })).status).to.equal(200);
      for (const orb_id of ['notify.email', 'email@1.0.0', 'notify.email@one', 'Notify.email@1.0.0', 7]) {
        const { status, body } = await execute({ orb_id, inputs: email });
        expect([status, body.code], String(orb_id)).to.deep.equal([422, 'invalid_body']);
      }
    });

    it('takes inputs, an object whose keys depend on the Orb', async () => {
      expect((await execute({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'x' } })).body.outputs).to.deep.equal({
        text: 'x',
      });
      expect((await execute({ orb_id: 'demo.echo@1.0.0', inputs: email })).body.code).to.equal('invalid_inputs');
      expect((await execute({ orb_id: 'demo.echo@1.0.0', inputs: 'text' })).body.code).to.equal('invalid_body');
    });

    it('takes to, from_address, subject and body, all strings, for an e-mail Orb', async () => {
      for (const key of Object.keys(email)) {
        const { status, body } = await execute({ orb_id: 'notify.email@1.0.0', inputs: { ...email, [key]: 1 } });
        expect([status, body.code, body.errors[0].pointer]).to.deep.equal([422, 'invalid_inputs', `#/inputs/${key}`]);
      }
    });

    it('takes e-mail addresses in to and from_address', async () => {
      for (const key of ['to', 'from_address']) {
        const { status, body } = await execute({ orb_id: 'notify.email@1.0.0', inputs: { ...email, [key]: 'nobody' } });
        expect([status, body.code]).to.deep.equal([422, 'provider_rejected']);
      }
    });
  });

  describe('2.2 execution result', () => {
    it('answers run_id, status, outputs, receipt and execution_ms, and nothing else', async () => {
      const { status, body } = await execute({ orb_id: 'notify.email@1.0.0', inputs: email });
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('run_id', 'status', 'outputs', 'receipt', 'execution_ms');
      expect(body.run_id).to.match(/^run_[0-9A-HJKMNP-TV-Z]{26}$/);
      expect(body.status).to.equal('completed');
      expect(body.outputs).to.have.all.keys('message_id');
      expect(body.outputs.message_id).to.be.a('string').and.not.equal('');
      expect(Number.isInteger(body.execution_ms)).to.equal(true);
    });
  });

  describe('2.3 receipt summary', () => {
    it('answers receipt_id, trust_score, risk_level, signature_valid and timestamp, and nothing else', async () => {
      const { receipt } = (await execute({ orb_id: 'notify.email@1.0.0', inputs: email })).body;
      expect(receipt).to.have.all.keys('receipt_id', 'trust_score', 'risk_level', 'signature_valid', 'timestamp');
      expect(receipt.receipt_id).to.match(/^rec_[0-9A-HJKMNP-TV-Z]{26}$/);
      expect(Number.isInteger(receipt.trust_score)).to.equal(true);
      expect(receipt.trust_score).to.be.within(0, 100);
      expect(receipt.risk_level).to.be.oneOf(['low', 'medium', 'high', 'critical']);
      expect(receipt.signature_valid).to.equal(true);
      expect(receipt.timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    it('answers a receipt_id that GET /receipts/{receipt_id} takes', async () => {
      const { receipt } = (await execute({ orb_id: 'notify.email@1.0.0', inputs: email })).body;
      const { status, body } = await platform.call('GET', `/receipts/${receipt.receipt_id}`);
      expect(status).to.equal(200);
      expect(body).to.include(receipt);
    });
  });

  describe('2.4 swap request', () => {
    it('takes provider, the name of the provider to switch to', async () => {
      const path = '/providers/notify.email@1.0.0/swap';
      expect((await platform.call('POST', path, { provider: 'outbox' })).status).to.equal(200);
      expect((await platform.call('POST', path, { provider: 'nobody' })).body.code).to.equal('invalid_provider');
      for (const body of [{}, { provider: 1 }, { provider: 'outbox', more: 1 }])
        expect((await platform.call('POST', path, body)).body.code).to.equal('invalid_body');
    });
  });

  describe('2.5 health response', () => {
    it('answers status ok, the version in dotted form and whole seconds since start', async () => {
      const { status, body } = await platform.call('GET', '/health', undefined, null);
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('status', 'version', 'uptime_seconds');
      expect(body.status).to.equal('ok');
      expect(body.version).to.match(/^\d+\.\d+\.\d+/);
      expect(Number.isInteger(body.uptime_seconds)).to.equal(true);
    });
  });

  describe('4.1 runtime service', () => {
    it('reports the current active provider and the hot-swap status of an Orb', async () => {
      const { status, body } = await platform.call('GET', '/providers/notify.email@1.0.0/status');
      expect(status).to.equal(200);
      expect(body).to.include({ orb_id: 'notify.email@1.0.0', active_provider: 'outbox', swap_status: 'stable' });
    });

    it('triggers a provider hot-swap for an Orb', async () => {
      const before = (await platform.call('GET', '/providers/notify.email@1.0.0/status')).body;
      const { status, body } = await platform.call('POST', '/providers/notify.email@1.0.0/swap', {
        provider: 'outbox',
      });
      expect(status).to.equal(200);
      const after = (await platform.call('GET', '/providers/notify.email@1.0.0/status')).body;
      expect(body.generation).to.be.greaterThan(before.generation);
      expect(after.generation).to.equal(body.generation);
    });

    it('serves execute, receipts and health', async () => {
      const run = await execute({ orb_id: 'notify.email@1.0.0', inputs: email });
      const receipt = await platform.call('GET', `/receipts/${run.body.receipt.receipt_id}`);
      const health = await platform.call('GET', '/health', undefined, null);
      expect([run.status, receipt.status, health.status]).to.deep.equal([200, 200, 200]);
    });
  });

  describe('5 authentication', () => {
    it('1: is by Authorization: Bearer <API_KEY>', async () => {
      const send = (headers: Record<string, string>) => fetch(`${platform.url}/orbs`, { headers });
      expect((await send({ authorization: `Bearer ${platform.adminKey}` })).status).to.equal(200);
      for (const headers of [
        {},
        { authorization: platform.adminKey },
        { authorization: `Basic ${platform.adminKey}` },
        { 'x-api-key': platform.adminKey },
      ])
        expect((await send(headers)).status).to.equal(401);
    });

    it('2: is not needed by GET /health', async () => {
      expect((await platform.call('GET', '/health', undefined, null)).status).to.equal(200);
    });

    it('4: is needed by every other endpoint; a missing and an invalid key get the same 401', async () => {
      const missing = await platform.call('GET', '/receipts/rec_x', undefined, null);
      const invalid = await platform.call('GET', '/receipts/rec_x', undefined, 'orb_live_nonsense');
      expect([missing.status, invalid.status]).to.deep.equal([401, 401]);
      expect({ ...missing.body, request_id: '' }).to.deep.equal({ ...invalid.body, request_id: '' });
    });
  });
});
