import { expect } from 'chai';
import { noon, openBench, signalOf, sourceOf, type Bench } from './bench.ts';

const time = (second: number): string => new Date(noon + second * 1000).toISOString();
const runtime = { kind: 'component', id: 'runtime' } as const;

async function plan(bench: Bench, starts: number, ends: number): Promise<void> {
  const route = bench.side.routes.find(({ method, path }) => method === 'POST' && path === '/maintenance');
  const body = { title: 'moving', scope: [runtime], starts_at: time(starts), ends_at: time(ends) };
  await route?.handle({ body, principal: { id: 'prn_01JD5ZK0000000000000000000' } } as never);
}

describe('the service of incidents', () => {
  let bench: Bench;
  const source = sourceOf('one', { hold_s: 0, reopen_window_s: 900 }, { binding: runtime });
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  it('knows what is open and how bad it is now, without a word of the vendor', async () => {
    await bench.deliver(source, [signalOf(source, { at: 0 })]);
    await bench.deliver(source, [signalOf(source, { at: 10, severity: 'warning' })]);
    const [incident, ...others] = bench.side.service.open();
    expect(others).to.deep.equal([]);
    expect(incident).to.deep.include({ severity: 'critical', impact: 'degraded_performance', scope: [runtime] });
    expect(JSON.stringify(incident)).to.not.include('firing');
  });

  it('tells of each change, and what ended has no impact', async () => {
    let told = 0;
    const stop = bench.side.service.onChange(() => told++);
    await bench.deliver(source, [signalOf(source, { at: 0 })]);
    const id = bench.side.service.open()[0]?.incident_id ?? '';
    await bench.deliver(source, [signalOf(source, { at: 30, state: 'resolved' })]);
    await bench.tick(noon + 60_000);
    expect(told).to.be.greaterThanOrEqual(2);
    expect(bench.side.service.open()).to.deep.equal([]);
    expect(bench.side.service.find(id)).to.deep.include({ state: 'resolved', impact: 'none', ends_at: time(30) });
    const before = told;
    stop();
    await bench.deliver(source, [signalOf(source, { at: 100 })]);
    expect(told).to.equal(before);
  });

  it('cuts a history into stretches by severity, with gaps where it was over, clipped to what was asked', async () => {
    const said = [
      { at: 0, severity: 'critical' },
      { at: 60, severity: 'warning' },
      { at: 120, state: 'resolved' },
      { at: 300, severity: 'high' },
    ] as const;
    for (const one of said) await bench.deliver(source, [signalOf(source, one)]);
    bench.now(noon + 600_000);
    await plan(bench, 700, 900);
    const [intervals = []] = await bench.side.service.intervals([runtime], time(30), time(800));
    const shown = intervals.map((interval) => [
      interval.kind === 'incident' ? interval.impact : 'maintenance',
      (Date.parse(interval.from) - noon) / 1000,
      interval.to === undefined ? undefined : (Date.parse(interval.to) - noon) / 1000,
    ]);
    expect(shown).to.deep.equal([
      ['major_outage', 30, 60],
      ['degraded_performance', 60, 120],
      ['partial_outage', 300, undefined],
      ['maintenance', 700, 800],
    ]);
    expect(bench.side.service.between(time(-60), time(0))).to.deep.equal([]);
    expect(bench.side.service.between(time(0), time(1))).to.have.length(1);
    const other = { kind: 'component', id: 'ingestion' } as const;
    expect(await bench.side.service.intervals([other], time(0), time(800))).to.deep.equal([[]]);
  });

  it('finds what was active at a time: not what ended when that began', async () => {
    await bench.deliver(source, [signalOf(source, { at: 0 }), signalOf(source, { at: 30, state: 'resolved' })]);
    await bench.tick(noon + 60_000);
    expect(bench.side.service.between(time(29), time(60))).to.have.length(1);
    expect(bench.side.service.between(time(30), time(60))).to.deep.equal([]);
  });

  it('of several alerts at a time the worst counts, and a stretch ends with the alert that made it', async () => {
    await bench.deliver(source, [signalOf(source, { at: 0, severity: 'warning' })]);
    await bench.deliver(source, [signalOf(source, { alert: 'b', at: 10 })]);
    await bench.deliver(source, [signalOf(source, { alert: 'b', at: 20, state: 'resolved' })]);
    const stretches = bench.side.service.open()[0]?.stretches;
    expect(stretches).to.deep.equal([
      { from: time(0), to: time(10), severity: 'warning' },
      { from: time(10), to: time(20), severity: 'critical' },
      { from: time(20), severity: 'warning' },
    ]);
  });

  it('knows windows until they are over', async () => {
    await plan(bench, 60, 120);
    expect(bench.side.service.maintenance().map(({ title }) => title)).to.deep.equal(['moving']);
    bench.now(noon + 120_000);
    expect(bench.side.service.maintenance()).to.deep.equal([]);
    expect(bench.side.service.maintenanceBetween(time(0), time(61))).to.have.length(1);
  });

  it('a window opens nothing while it lasts; what still fires opens at its end', async () => {
    await plan(bench, 60, 120);
    await bench.deliver(source, [signalOf(source, { at: 70 }), signalOf(source, { at: 80, state: 'resolved' })]);
    await bench.deliver(source, [signalOf(source, { alert: 'b', at: 90 })]);
    await bench.tick(noon + 119_000);
    expect(bench.side.service.open()).to.deep.equal([]);
    await bench.tick(noon + 120_000);
    expect(bench.side.service.open().map(({ starts_at }) => starts_at)).to.deep.equal([time(120)]);
  });

  it('a window does not take back what was open before it', async () => {
    await bench.deliver(source, [signalOf(source, { at: 50 })]);
    bench.now(noon + 55_000);
    await plan(bench, 40, 120);
    expect(bench.side.service.open().map(({ starts_at }) => starts_at)).to.deep.equal([time(50)]);
    expect(bench.side.service.maintenance()[0]?.starts_at).to.equal(time(55));
  });
});
