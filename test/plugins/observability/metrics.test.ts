import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../helpers/platform.ts';
import { until } from '../../helpers/until.ts';

describe('the metrics of the status', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());
  const metrics = async (): Promise<string> => String((await platform.call('GET', '/metrics')).body);

  it('tell each service, its uptime, and the open incidents', async () => {
    const quiet = await metrics();
    for (const component of ['runtime', 'reputation_ledger', 'observable_engine', 'ingestion']) {
      expect(quiet).to.include(`orb_component_status{component="${component}"} 0\n`);
      expect(quiet).to.include(`orb_uptime_ratio{component="${component}",window="30d"} 1\n`);
    }
    expect(quiet).to.include('orb_uptime_ratio{component="platform",window="30d"} 1\n');
    expect(quiet).to.match(/^orb_heartbeat_write_seconds \d/m);
    const scope = [{ kind: 'component', id: 'runtime' }];
    await platform.call('POST', '/incidents', { title: 'x', severity: 'high', scope });
    await until(metrics, (text) => text.includes('orb_component_status{component="runtime"} 3\n'));
    const busy = await until(metrics, (text) => /orb_uptime_ratio\{component="runtime",window="30d"\} 0/.test(text));
    expect(busy).to.include('orb_incidents_open{impact="partial_outage"} 1\n');
  });
});
