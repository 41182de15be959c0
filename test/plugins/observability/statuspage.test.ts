import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';

const pageKeys = ['id', 'name', 'url', 'time_zone', 'updated_at'];
const componentKeys = [
  ...['id', 'name', 'status', 'created_at', 'updated_at', 'position', 'description', 'showcase', 'start_date'],
  ...['group_id', 'page_id', 'group', 'only_show_if_degraded'],
];
const incidentKeys = [
  ...['id', 'name', 'status', 'created_at', 'updated_at', 'monitoring_at', 'resolved_at', 'impact', 'shortlink'],
  ...['started_at', 'page_id', 'incident_updates', 'components'],
];
const updateKeys = ['id', 'status', 'body', 'incident_id', 'created_at', 'updated_at', 'display_at'];

describe('the status in the form of Statuspage', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  const get = async (name: string): Promise<Answer['body']> => {
    const { status, body } = await platform.call('GET', `/api/v2/${name}.json`, undefined, null);
    expect(status, name).to.equal(200);
    return body;
  };
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  it('is all well on a quiet day', async () => {
    const page = (await get('status')).page;
    expect(page).to.have.all.keys(pageKeys);
    expect(page).to.include({ name: 'Agent Orb Platform', time_zone: 'Etc/UTC' });
    expect(page.id).to.match(/^ins_/);
    expect(await get('status')).to.deep.equal({
      page,
      status: { indicator: 'none', description: 'All Systems Operational' },
    });
    const { components } = await get('components');
    expect(components.map(({ id, position }: Answer['body']) => [id, position])).to.deep.equal([
      ['runtime', 1],
      ['reputation_ledger', 2],
      ['observable_engine', 3],
      ['ingestion', 4],
    ]);
    for (const component of components) {
      expect(component).to.have.all.keys(componentKeys);
      expect(component).to.include({ status: 'operational', page_id: page.id, group: false });
    }
    for (const name of ['incidents', 'incidents/unresolved'])
      expect(await get(name))
        .to.have.all.keys('page', 'incidents')
        .and.deep.include({ incidents: [] });
    const summary = await get('summary');
    expect(summary).to.have.all.keys('page', 'components', 'incidents', 'scheduled_maintenances', 'status');
    expect(summary).to.deep.include({ incidents: [], scheduled_maintenances: [] });
  });

  it('tells an incident from its opening to its end, each update once, the newest first', async () => {
    const scope = [{ kind: 'component', id: 'runtime' }];
    const { body: made } = await platform.call('POST', '/incidents', { title: 'x', severity: 'critical', scope });
    const path = `/incidents/${made.incident_id}`;
    await platform.call('POST', `${path}/notes`, { text: 'We watch it.', public: true, phase: 'monitoring' });
    const { incidents } = await until(
      () => get('incidents/unresolved'),
      (body) => body.incidents[0]?.incident_updates.length === 2,
    );
    expect(incidents).to.have.lengthOf(1);
    const [incident] = incidents;
    expect(incident).to.have.all.keys(incidentKeys);
    expect(incident).to.include({
      id: made.incident_id,
      name: 'Runtime: major outage',
      status: 'monitoring',
      impact: 'critical',
      resolved_at: null,
    });
    for (const update of incident.incident_updates) expect(update).to.have.all.keys(updateKeys);
    expect(incident.incident_updates.map(({ status, body }: Answer['body']) => [status, body])).to.deep.equal([
      ['monitoring', 'We watch it.'],
      ['investigating', 'Runtime: major outage.'],
    ]);
    expect(incident.components.map(({ id }: Answer['body']) => id)).to.deep.equal(['runtime']);
    expect((await get('status')).status).to.deep.equal({
      indicator: 'critical',
      description: 'Major Service Outage',
    });
    expect((await get('summary')).incidents).to.deep.equal((await get('incidents/unresolved')).incidents);
    await platform.call('POST', `${path}/resolve`, { reason: 'mended' });
    await until(
      () => get('incidents/unresolved'),
      (body) => body.incidents.length === 0,
    );
    await platform.call('POST', `${path}/notes`, { text: 'It was the disk.', public: true });
    const [over] = await until(
      async () => (await get('incidents')).incidents,
      ([one]) => one.incident_updates.length === 4,
    );
    expect(over).to.include({ id: made.incident_id, status: 'resolved', impact: 'critical' });
    expect(over.resolved_at).to.match(/Z$/);
    expect(over.incident_updates.map(({ body }: Answer['body']) => body)).to.deep.equal([
      'It was the disk.',
      'Resolved.',
      'We watch it.',
      'Runtime: major outage.',
    ]);
  });
});
