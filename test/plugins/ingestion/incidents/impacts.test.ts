import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { lateClock, startIngestion, type IngestionHome, type MadeSource } from '../home.ts';

const binding = { kind: 'component', id: 'runtime' };
const policy = { hold_s: 0, reopen_window_s: 0 };

describe('what the public is told of an alert', function () {
  const clock = lateClock();
  let home: IngestionHome;
  before(async () => {
    home = await startIngestion({ clock });
  });
  after(() => home.stop());

  const make = (more: object = {}): Promise<MadeSource> =>
    home.source({
      name: 'own',
      vendor: 'generic',
      auth: { scheme: 'header' },
      binding,
      policy: { ...policy, ...more },
    });
  const send = async (source: MadeSource, state: string, severity = 'critical'): Promise<void> => {
    clock.ahead(1000);
    const body = JSON.stringify({ id: 'disk', state, severity });
    const answer = await home.hook(source.path, { headers: { 'x-orb-token': source.secret }, body });
    await home.settled(answer.body.delivery_id);
  };
  const shown = (word: string): Promise<unknown> =>
    until(
      async () => (await home.get('/status')).status as string,
      (found) => found === word,
      word,
    );

  it('of one source is never that the platform is not available, unless its operator says so', async () => {
    const source = await make();
    await send(source, 'firing');
    await shown('partial_outage');
    const [{ impact, severity, incident_id }] = (await home.get('/incidents?state=unresolved')).incidents;
    expect([impact, severity]).to.deep.equal(['partial_outage', 'critical']);
    await send(source, 'resolved');
    await shown('operational');
    const { stretches } = await home.get(`/incidents/${incident_id}`);
    expect(stretches).to.have.length(1);
    expect(stretches[0]).to.include({ severity: 'critical', impact: 'partial_outage' });
  });

  it('is what the table of its source says', async () => {
    const source = await make({ impacts: { critical: 'major_outage', warning: 'none' } });
    expect((await home.get(`/sources/${source.source_id}`)).policy.impacts).to.deep.equal({
      ...{ critical: 'major_outage', high: 'partial_outage', warning: 'none', info: 'none' },
    });
    await send(source, 'firing', 'warning');
    await until(
      () => home.get('/incidents?state=unresolved'),
      ({ incidents }) => incidents.length === 1,
    );
    expect((await home.get('/status')).status).to.equal('operational');
    await send(source, 'firing', 'critical');
    await shown('major_outage');
    await send(source, 'resolved');
    await shown('operational');
  });

  it('is by the severity where a person opens the incident', async () => {
    await home.platform.call('POST', '/incidents', { title: 'x', severity: 'critical', scope: [binding] });
    await shown('major_outage');
  });
});
