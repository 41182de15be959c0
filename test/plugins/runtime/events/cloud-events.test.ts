import { expect } from 'chai';
import { readCloudEvent, structured } from '../../../helpers/cloud-events.ts';
import { until } from '../../../helpers/until.ts';
import { orb, startQueueing, type Queueing } from '../queue/queueing.ts';
import { listen, type Client } from './client.ts';

describe('the events of GET /events as CloudEvents', function () {
  this.timeout(60_000);
  let queueing: Queueing;
  let client: Client | undefined;
  before(async () => (queueing = await startQueueing()));
  beforeEach(function () {});
  after(async () => {
    client?.close();
    await queueing.platform.stop();
  });
  const read = (event: unknown) =>
    readCloudEvent({ headers: { 'content-type': structured }, body: JSON.stringify(event) });

  it('are read by the package cloudevents, whatever they tell', async () => {
    const { platform } = queueing;
    const { heard } = (client = listen(() => `${platform.url}/events?format=cloudevents`, platform.adminKey));
    await client.opened();
    const { run_id } = (await queueing.ask('read')).body;
    await queueing.ended(run_id);
    await platform.call('POST', `/providers/${orb}/swap`, { provider: 'b' });
    const { key_id } = (await platform.call('POST', '/keys', { name: 'k', scopes: ['orbs:read'] })).body;
    const wanted = ['run.queued', 'run.started', 'run.completed', 'swap.completed', 'key.created'];
    await until(
      () => heard.map(({ type }) => type),
      (types) => wanted.every((type) => types.includes(type)),
    );
    const events = new Map(heard.map(({ type, data }) => [type, read(data)]));
    for (const [type, event] of events) {
      expect([event.specversion, event.type]).to.deep.equal(['1.0', `agent-orb.${type}`]);
      expect(event.source).to.match(/^urn:agent-orb:ins_\w{26}$/);
      expect(event.datacontenttype).to.equal('application/json');
      expect(Math.abs(Date.parse(event.time) - Date.now())).to.be.lessThan(60_000);
    }
    for (const type of ['run.queued', 'run.started', 'run.completed'])
      expect(events.get(type), type).to.include({ subject: run_id }).and.nested.include({ 'data.run_id': run_id });
    expect(events.get('swap.completed')).to.include({ subject: orb });
    expect(events.get('key.created')?.data).to.include({ key_id });
    expect(events.get('key.created')?.subject).to.equal(undefined);
  });

  it('are refused by the package when they break the specification, so that its word counts', () => {
    const good = { specversion: '1.0', id: 'a', source: 'urn:x', type: 't', time: '2026-01-01T00:00:00Z', data: {} };
    expect(read(good).type).to.equal('t');
    const broken = [
      { ...good, specversion: '0.9' },
      { ...good, source: '' },
      { ...good, subject: 1 },
      { ...good, datacontenttype: 1 },
      { ...good, Receipt_Id: 'x' },
    ];
    for (const event of broken) expect(() => read(event), JSON.stringify(event)).to.throw();
  });
});
