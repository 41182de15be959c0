import { createHmac } from 'node:crypto';
import { until } from '../../../../helpers/until.ts';
import { golden, lateClock, startIngestion, type IngestionHome } from '../../home.ts';

const policy = { hold_s: 0, reopen_window_s: 0, min_severity: 'info' };

describe('an alert that ends', function () {
  const clock = lateClock();
  let home: IngestionHome;
  before(async () => {
    home = await startIngestion({ clock });
  });
  after(() => home.stop());

  const stateOf = async (provider: string): Promise<readonly string[]> =>
    (await home.get(`/incidents?provider=${provider}`)).incidents.map(({ state }: { state: string }) => state);
  const becomes = (provider: string, state: string): Promise<unknown> =>
    until(
      () => stateOf(provider),
      (found) => found.join() === state,
      state,
    );

  it('before it began, by a clock that is a second behind, is over', async () => {
    const binding = { kind: 'provider', id: 'behind' };
    const source = await home.source({ name: 'am', vendor: 'alertmanager', binding, policy });
    for (const [status, endsAt] of [
      ['firing', '0001-01-01T00:00:00Z'],
      ['resolved', '2026-11-21T09:59:59Z'],
    ]) {
      const alert = { status, labels: {}, startsAt: '2026-11-21T10:00:00Z', endsAt, fingerprint: 'f1' };
      const headers = { authorization: `Bearer ${source.secret}` };
      const answer = await home.hook(source.path, { headers, body: JSON.stringify({ alerts: [alert] }) });
      await home.settled(answer.body.delivery_id);
      if (status === 'firing') await becomes('behind', 'open');
    }
    await becomes('behind', 'resolved');
  });

  it('before the delivery that it fires arrived, is over', async () => {
    const binding = { kind: 'provider', id: 'late' };
    const source = await home.source({ name: 'sentry', vendor: 'sentry', binding, policy });
    const sent = JSON.parse(golden('sentry.metric'));
    // The alert was over before its first delivery arrived.
    const metric_alert = { ...sent.data.metric_alert, date_closed: new Date(clock.now() - 60_000).toISOString() };
    for (const action of ['critical', 'resolved']) {
      const data = action === 'resolved' ? { ...sent.data, metric_alert } : sent.data;
      const body = JSON.stringify({ ...sent, action, data });
      const signature = createHmac('sha256', source.secret).update(body).digest('hex');
      const headers = { 'sentry-hook-resource': 'metric_alert', 'sentry-hook-signature': signature };
      const answer = await home.hook(source.path, { headers, body });
      await home.settled(answer.body.delivery_id);
      clock.ahead(1000);
    }
    await becomes('late', 'resolved');
  });
});
