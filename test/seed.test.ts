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
  const publish = (): Promise<Answer> =>
    platform.call('POST', '/marketplace/orbs/publish', { orb_id: 'notify.email@1.0.0' });

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

  describe('2.6 platform status response', () => {
    it('answers status, uptime_30d_pct, incidents, services and last_updated, and nothing else', async () => {
      const { status, body } = await platform.call('GET', '/status', undefined, null);
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('status', 'uptime_30d_pct', 'incidents', 'services', 'last_updated');
      expect(body.status).to.equal('operational');
      expect(body.uptime_30d_pct).to.be.a('number').and.within(0, 100);
      expect(body.incidents).to.deep.equal([]);
      expect(body.last_updated).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    it('tells of runtime, reputation_ledger, observable_engine and ingestion, and no other service', async () => {
      const { services } = (await platform.call('GET', '/status', undefined, null)).body;
      expect(services).to.deep.equal({
        runtime: 'operational',
        reputation_ledger: 'operational',
        observable_engine: 'operational',
        ingestion: 'operational',
      });
    });
  });

  describe('2.7 public marketplace listing', () => {
    it('carries name, description, certification tier and reputation score, and only these', async () => {
      await publish();
      const { status, body } = await platform.call('GET', '/marketplace/orbs/public', undefined, null);
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('orbs');
      expect(body.orbs).to.have.lengthOf(1);
      const [orb] = body.orbs;
      expect(orb).to.have.all.keys('name', 'description', 'certification_tier', 'reputation_score');
      expect(orb.name).to.equal('notify.email');
      expect(orb.description).to.be.a('string').and.not.equal('');
      expect(orb.certification_tier).to.be.oneOf(['none', 'bronze', 'silver', 'gold', 'platinum']);
      // Nobody but its publisher has run it.
      expect(orb.reputation_score).to.equal(null);
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

  describe('4.2 reputation ledger: the marketplace', () => {
    const list = (query: string): Promise<Answer> => platform.call('GET', `/marketplace/orbs${query}`);
    before(publish);

    it('lists published Orbs at GET /marketplace/orbs; requires authentication', async () => {
      const { status, body } = await list('');
      expect(status).to.equal(200);
      expect(body.orbs.map(({ orb_id }: { orb_id: string }) => orb_id)).to.deep.equal(['notify.email@1.0.0']);
      expect((await platform.call('GET', '/marketplace/orbs', undefined, null)).status).to.equal(401);
    });

    it('lists published Orbs with the fields of 2.7 at GET /marketplace/orbs/public; no authentication', async () => {
      const { status, body } = await platform.call('GET', '/marketplace/orbs/public', undefined, null);
      expect(status).to.equal(200);
      expect(body.orbs.map(({ name }: { name: string }) => name)).to.deep.equal(['notify.email']);
    });

    it('publishes the Orb that the body identifies at POST /marketplace/orbs/publish', async () => {
      const first = await platform.call('POST', '/marketplace/orbs/publish', { orb_id: 'demo.echo@1.0.0' });
      expect([first.status, first.body.orb_id]).to.deep.equal([201, 'demo.echo@1.0.0']);
      expect((await list('')).body.total).to.equal(2);
      expect((await publish()).status).to.equal(200);
      for (const body of [{}, { orb_id: 'demo.echo' }, { orb_id: 1 }])
        expect((await platform.call('POST', '/marketplace/orbs/publish', body)).body.code).to.equal('invalid_body');
      const unknown = await platform.call('POST', '/marketplace/orbs/publish', { orb_id: 'no.such@1.0.0' });
      expect([unknown.status, unknown.body.code]).to.deep.equal([404, 'orb_not_found']);
    });

    const total = async (query: string): Promise<unknown> => (await list(query)).body.total;
    const refused = async (query: string): Promise<unknown[]> => {
      const { status, body } = await list(query);
      return [status, body.code];
    };

    it('query tier: a string that filters by certification tier', async () => {
      expect(await total('?tier=gold')).to.equal(0);
      expect(await total('?tier=none')).to.equal(2);
      for (const query of ['?tier=wood', '?tier=', '?tier=Gold', '?tier=gold&tier=none'])
        expect(await refused(query), query).to.deep.equal([400, 'invalid_parameter']);
    });

    it('query limit: an integer, the number of entries to return', async () => {
      expect((await list('?limit=1')).body.orbs).to.have.lengthOf(1);
      expect((await list('')).body.limit).to.equal(20);
      expect((await list('?limit=100')).body.orbs).to.have.lengthOf(2);
      for (const query of ['?limit=0', '?limit=101', '?limit=abc', '?limit=1.5', '?limit=-1', '?limit='])
        expect(await refused(query), query).to.deep.equal([400, 'invalid_parameter']);
    });

    it('query offset: an integer, the number of entries to skip', async () => {
      const all = (await list('')).body.orbs;
      expect((await list('?offset=1')).body.orbs).to.deep.equal(all.slice(1));
      expect((await list('?offset=10000')).body.orbs).to.deep.equal([]);
      for (const query of ['?offset=-1', '?offset=10001', '?offset=abc', '?offset=0.5'])
        expect(await refused(query), query).to.deep.equal([400, 'invalid_parameter']);
    });
  });

  describe('4.3 platform status', () => {
    it('is answered at GET /status without a key, and with any', async () => {
      for (const key of [null, platform.adminKey]) {
        const { status, body } = await platform.call('GET', '/status', undefined, key);
        expect(status).to.equal(200);
        expect(body).to.have.all.keys('status', 'uptime_30d_pct', 'incidents', 'services', 'last_updated');
      }
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

    it('2: is not needed by GET /status', async () => {
      expect((await platform.call('GET', '/status', undefined, null)).status).to.equal(200);
    });

    it('2: is not needed by GET /marketplace/orbs/public', async () => {
      expect((await platform.call('GET', '/marketplace/orbs/public', undefined, null)).status).to.equal(200);
    });

    it('3: is required by GET /marketplace/orbs', async () => {
      expect((await platform.call('GET', '/marketplace/orbs', undefined, null)).body.code).to.equal('unauthenticated');
      const key = await platform.key({ scopes: ['orbs:execute:notify.*'] });
      expect((await platform.call('GET', '/marketplace/orbs', undefined, key)).status).to.equal(200);
    });

    it('4: is needed by every other endpoint; a missing and an invalid key get 401, which differs in its detail only', async () => {
      const missing = await platform.call('GET', '/receipts/rec_x', undefined, null);
      const invalid = await platform.call('GET', '/receipts/rec_x', undefined, 'orb_live_nonsense');
      expect([missing.status, invalid.status]).to.deep.equal([401, 401]);
      const whole = ({ body }: typeof missing) => ({ ...body, request_id: '', detail: '' });
      expect(whole(missing)).to.deep.equal(whole(invalid));
      expect(missing.body.detail).not.to.equal(invalid.body.detail);
    });
  });
});
