import { expect } from 'chai';
import { type Clock, definePlugin } from '../../../../kernel/index.ts';
import { startPlatform, type Answer, type TestPlatform } from '../../../helpers/platform.ts';
import { until } from '../../../helpers/until.ts';
import { waywardAdapter, waywardOrb } from '../../../helpers/wayward.ts';

const begin = Date.UTC(2026, 10, 21, 12, 0, 30);
const orb = 'test.irreversible@1.0.0';

/** A clock that stands until it is moved. */
function movedClock(): Clock & { to(ms: number): void } {
  let at = begin;
  return { now: () => at, monotonic: () => performance.now(), to: (ms) => void (at = ms) };
}

const deny = definePlugin({
  name: 'deny',
  start: ({ hooks }) => {
    hooks.authorize.tap('deny', (request) => {
      const allow = !JSON.stringify(request).includes('"closed"');
      return { allow, policies: ['no'], reasons: allow ? [] : [{ code: 'policy_denied' }], warns: 0, shadow_denies: 0 };
    });
    return {};
  },
});

describe('GET /stats', function () {
  this.timeout(60_000);
  let platform: TestPlatform;
  let acme: string;
  const clock = movedClock();
  const start = (home?: string) =>
    startPlatform({
      clock,
      ...(home === undefined ? {} : { home }),
      adapters: [waywardAdapter],
      plugins: [deny],
      platform: {
        authorize: 'deny',
        providers: { echo: { adapter: 'echo/local' }, odd: { adapter: 'wayward/local' } },
        bindings: { [orb]: ['odd'] },
      },
      data: {
        [`orbs/${orb}.json`]: waywardOrb('irreversible'),
        'orbisets/acme.json': { id: 'acme', tenant: 'acme', orbs: ['*'] },
        'orbisets/closed.json': { id: 'closed', tenant: 'acme', orbs: ['*'] },
      },
    });
  const run = (behaviour: string, orbiset = 'default', key?: string): Promise<Answer> =>
    platform.call('POST', `/orbisets/${orbiset}/execute`, { orb_id: orb, inputs: { behaviour, echo: 'x' } }, key);
  const stats = (query: string, key?: string): Promise<Answer> =>
    platform.call('GET', `/stats?${query}`, undefined, key);
  const statuses = async (query: string, key?: string): Promise<object> => {
    const { body } = await stats(query, key);
    const named = body.series.map(({ value = '', points }: { value?: string; points: { statuses: object }[] }) => [
      value,
      points.map((point) => point.statuses),
    ]);
    return Object.fromEntries(named);
  };

  before(async () => {
    platform = await start();
    acme = await platform.key({ scopes: ['orbs:execute', 'stats:read'], tenant: 'acme', name: 'reader' });
    expect((await run('answers')).status).to.equal(200);
    expect((await run('is rejected')).status).to.equal(422);
    clock.to(begin + 60_000);
    expect((await run('answers', 'acme', acme)).status).to.equal(200);
    expect((await run('answers', 'closed', acme)).status).to.equal(403);
  });
  after(() => platform.stop());

  const minutes = 'step=minute&from=2026-11-21T12:00:00Z&to=2026-11-21T12:02:00Z';

  it('counts runs by the minute, and answers times and latencies', async () => {
    const { status, body } = await stats(minutes);
    expect(status).to.equal(200);
    expect(body).to.include({ from: '2026-11-21T12:00:00.000Z', to: '2026-11-21T12:02:00.000Z', step: 'minute' });
    const [{ points }] = body.series;
    expect(points).to.have.length(2);
    expect(points[0]).to.deep.include({
      ...{ at: '2026-11-21T12:00:00.000Z', total: 2, statuses: { completed: 1, failed: 1 } },
    });
    for (const { mean_ms, p50_ms, p95_ms } of points)
      expect([mean_ms <= p95_ms * 1.25, p50_ms <= p95_ms]).to.deep.equal([true, true]);
  });

  const both = [
    { completed: 1, failed: 1 },
    { completed: 1, denied: 1 },
  ];
  for (const [by, found] of [
    ['orb_id', { [orb]: both }],
    ['orbiset_id', { default: [{ completed: 1, failed: 1 }], acme: [{ completed: 1 }], closed: [{ denied: 1 }] }],
    ['provider', { odd: [both[0], { completed: 1 }], '': [{ denied: 1 }] }],
    ['status', { completed: [{ completed: 1 }, { completed: 1 }], failed: [{ failed: 1 }], denied: [{ denied: 1 }] }],
    ['mode', { sandbox: both }],
  ] as const)
    it(`groups them by ${by}`, async () => expect(await statuses(`${minutes}&by=${by}`)).to.deep.equal(found));

  it('groups them by principal and by key, which have names, and lists the runs of a key', async () => {
    const { body } = await stats(`${minutes}&by=key_id`);
    const named = body.series.map(({ name, points }: { name: string; points: { statuses: object }[] }) => [
      name,
      points.map((point) => point.statuses),
    ]);
    expect(named).to.deep.equal([
      ['admin', [{ completed: 1, failed: 1 }]],
      ['reader', [{ completed: 1, denied: 1 }]],
    ]);
    const { body: listed } = await platform.call('GET', `/runs?key_id=${body.series[1].value}`);
    expect(listed.runs.map((one: { status: string; key_id: string }) => [one.status, one.key_id])).to.deep.equal([
      ['denied', body.series[1].value],
      ['completed', body.series[1].value],
    ]);
    const principals = (await stats(`${minutes}&by=principal`)).body.series;
    expect(principals.map(({ name }: { name: string }) => name)).to.deep.equal(['admin', 'reader']);
    expect(principals[1].value).to.equal(listed.runs[0].principal);
  });

  it('answers quarters of an hour, and the figures of the whole time', async () => {
    const { body } = await stats('step=quarter_hour');
    expect([body.from, body.to]).to.deep.equal(['2026-11-20T12:00:00.000Z', '2026-11-21T12:15:00.000Z']);
    const [{ overall, points }] = body.series;
    expect(points.map(({ at, total }: { at: string; total: number }) => [at, total])).to.deep.equal([
      ['2026-11-21T12:00:00.000Z', 4],
    ]);
    const { at: _, ...whole } = points[0];
    expect(overall).to.deep.equal(whole);
  });

  it('shows a key the counts of its own tenant', async () => {
    expect(await statuses(minutes, acme)).to.deep.equal({ '': [{ completed: 1, denied: 1 }] });
  });

  it('needs the scope stats:read; webhooks belong to the installation and need *', async () => {
    const other = await platform.key({ scopes: ['runs:read'] });
    expect((await stats(minutes, other)).body.code).to.equal('insufficient_scope');
    expect((await stats('what=webhooks', acme)).body.code).to.equal('insufficient_scope');
  });

  for (const [query, pointer] of [
    ['step=minute&from=2026-11-01T00:00:00Z', 'step'],
    ['step=hour&from=2026-01-01T00:00:00Z', 'step'],
    ['step=minute&from=2026-11-20T00:00:00Z', 'step'],
    ['from=2026-11-21T12:00:00Z&to=2026-11-21T11:00:00Z', 'from'],
    ['by=source', 'by'],
    ['what=webhooks&by=key_id', 'by'],
    ['by=tenant', 'by'],
  ] as const)
    it(`refuses ${query}`, async () => {
      const { status, body } = await stats(query);
      expect([status, body.code, body.errors[0].pointer]).to.deep.equal([400, 'invalid_parameter', `#/${pointer}`]);
    });

  for (const [query, step] of [
    ['', 'minute'],
    ['from=2026-11-21T00:00:00Z', 'minute'],
    ['from=2026-11-19T13:00:00Z', 'quarter_hour'],
    ['from=2026-11-19T11:00:00Z', 'hour'],
    ['from=2026-01-01T00:00:00Z', 'day'],
    ['step=day', 'day'],
  ] as const)
    it(`answers ${query || 'nothing asked'} by the ${step}, all runs in it`, async () => {
      const { body } = await stats(query);
      expect(body.step).to.equal(step);
      const total = body.series.flatMap((one: { points: { total: number }[] }) =>
        one.points.map((point) => point.total),
      );
      expect(total.reduce((sum: number, one: number) => sum + one, 0)).to.equal(4);
    });

  it('counts webhooks by their source, once they are settled', async () => {
    const made = (await platform.call('POST', '/sources', { vendor: 'grafana', name: 'alerts' })).body;
    const { source_id } = made.source;
    expect((await platform.call('POST', `/sources/${source_id}/test`)).status).to.be.lessThan(300);
    const { series } = await until(
      async () => (await stats('what=webhooks&by=source')).body,
      (body) => body.series.length > 0,
    );
    expect(series[0].value).to.equal(source_id);
    expect(series[0].points[0]).to.have.all.keys('at', 'total', 'statuses');
    expect(series[0].points[0].total).to.equal(1);
  });

  it('has the same counts after a restart', async () => {
    const before = (await stats(minutes)).body;
    const { home } = platform;
    await platform.stop({ keep: true });
    platform = await start(home);
    expect((await stats(minutes)).body).to.deep.equal(before);
  });
});
