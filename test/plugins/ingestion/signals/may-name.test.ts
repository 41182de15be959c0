import { expect } from 'chai';
import { until } from '../../../helpers/until.ts';
import { golden, startIngestion, type IngestionHome, type MadeSource } from '../home.ts';

describe('the subjects of a delivery', function () {
  this.timeout(120_000);
  let home: IngestionHome;
  before(async () => {
    home = await startIngestion();
  });
  after(() => home.stop());

  const send = async (source: MadeSource, query = '', labels: object = {}) => {
    const payload = JSON.parse(golden('alertmanager.firing')) as { alerts: [{ labels: object; fingerprint: string }] };
    const [alert] = payload.alerts;
    const body = JSON.stringify({
      ...payload,
      alerts: [{ ...alert, labels: { severity: 'critical', ...labels }, fingerprint: JSON.stringify([query, labels]) }],
    });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${source.secret}` };
    const { body: answer } = await home.hook(`${source.path}${query}`, { headers, body });
    return (await home.settled(answer.delivery_id)).signals[0];
  };
  const scopes = async (): Promise<string[]> => {
    const { incidents } = await home.get('/incidents?limit=100');
    return incidents.flatMap(({ scope }: { scope: { kind: string; id: string }[] }) =>
      scope.map(({ kind, id }) => `${kind}:${id}`),
    );
  };

  const attested = (scope: string): Promise<string[]> => until(scopes, (found) => found.includes(scope), scope, 20);

  it('are none outside may_name, by label or by query, whoever signs', async () => {
    const source = await home.source({ name: 'a', vendor: 'alertmanager', may_name: { components: ['ingestion'] } });
    const signal = await send(source, '?component=runtime&orb_id=demo.echo%401.0.0', {
      component: 'reputation_ledger',
    });
    expect(signal.hints).to.deep.include({
      name: 'component',
      value: 'reputation_ledger',
      origin: 'label',
      outsider: false,
    });
    await send(source, '', { orb_id: 'demo.echo@1.0.0', provider: 'echo' });
    expect(await scopes()).to.deep.equal([]);
    // What comes last is attested last: once it is there, nothing else will be.
    await send(source, '', { component: 'ingestion' });
    expect(await attested('component:ingestion')).to.deep.equal(['component:ingestion']);
  });

  it('are none by default', async () => {
    const before = await scopes();
    const source = await home.source({ name: 'b', vendor: 'alertmanager' });
    await send(source, '', { component: 'runtime', orb_id: 'demo.echo@1.0.0', provider: 'echo' });
    const may_name = { components: ['observable_engine'] };
    await home.platform.call('PATCH', `/sources/${source.source_id}`, { may_name });
    await send(source, '', { component: 'observable_engine' });
    const after = await attested('component:observable_engine');
    expect(after.sort()).to.deep.equal([...before, 'component:observable_engine'].sort());
  });

  it('are not read from the query of an address that is all the proof there is', async () => {
    const source = await home.source({ name: 'c', vendor: 'alertmanager', auth: { scheme: 'url' } });
    const signal = await send(source, '?component=runtime');
    expect(signal.hints).to.deep.equal([]);
    const secret = await home.source({ name: 'd', vendor: 'alertmanager' });
    expect((await send(secret, '?component=runtime')).hints).to.deep.equal([
      { name: 'component', value: 'runtime', origin: 'query', outsider: true },
    ]);
  });
});
