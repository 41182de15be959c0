import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { startPlatform, type Answer, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';

const paths = [
  '/status',
  '/status/formula',
  '/status/history',
  '/status.html',
  '/api/v2/status.json',
  '/api/v2/summary.json',
  '/api/v2/components.json',
  '/api/v2/incidents.json',
  '/api/v2/incidents/unresolved.json',
];

describe('the status while the store is down', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  const get = (path: string): Promise<Answer> => platform.call('GET', path, undefined, null);
  before(async () => {
    platform = await startPlatform();
    const scope = [{ kind: 'component', id: 'reputation_ledger' }];
    await platform.call('POST', '/incidents', { title: 'x', severity: 'warning', scope });
    await until(
      () => get('/status'),
      ({ body }) => body.incidents.length === 1,
    );
    for (const path of paths) expect((await get(path)).status, path).to.equal(200);
    const other = new Driver(join(platform.stateDir, 'store.db'));
    // Another owner: the writer gives up. No tables: nothing can be read either.
    other.prepare('UPDATE kernel_head SET epoch = epoch + 1').run();
    for (const table of ['observability_spans', 'ingestion_incidents', 'ingestion_maintenance'])
      other.prepare(`DROP TABLE ${table}`).run();
    other.close();
  });
  after(() => platform.stop());

  it('is told from memory, by every path, and says itself that it is down', async () => {
    expect((await platform.call('POST', '/keys', { name: 'x', scopes: ['runs:read'] })).status).to.equal(503);
    const { body } = await until(
      () => get('/status'),
      ({ status, body }) => status === 200 && body.status === 'major_outage',
    );
    expect(body.services).to.deep.include({ runtime: 'major_outage', ingestion: 'major_outage' });
    expect(body.incidents.map(({ title }: Answer['body']) => title)).to.deep.equal([
      'Reputation ledger: degraded performance',
    ]);
    for (const path of paths) expect((await get(path)).status, path).to.equal(200);
    const history = (await get('/status/history?days=90')).body;
    expect(history.complete).to.equal(false);
    expect(history.days).to.have.lengthOf(30);
    expect(history.incidents).to.have.lengthOf(1);
    expect(String((await get('/status.html')).body)).to.include('The database cannot be read now');
  });

  it('counts the time as down', async () => {
    const { body } = await until(
      () => get('/status/formula'),
      ({ body }) => body.services.runtime.downtime_seconds > 0,
    );
    expect(body.platform.uptime_pct).to.be.lessThan(100);
  });
});
