import { expect } from 'chai';
import { services, type Status } from '../../../../plugins/observability/contract.ts';
import { each, type Span } from '../../../../plugins/observability/status/measure.ts';
import {
  platformUptime,
  uptimeOf,
  weights,
  windowAt,
  type Lanes,
} from '../../../../plugins/observability/status/uptime.ts';

/** Spans in seconds, as they are easily worked by hand. */
type Worked = readonly [from: number, to: number | undefined, status: Status];

const worked = (...spans: readonly Worked[]): readonly Span[] =>
  spans.map(([from, to, status]) => ({
    status,
    from: from * 1000,
    ...(to === undefined ? {} : { to: to * 1000 }),
  }));

// A window of a thousand seconds: a second is a tenth of a percent.
const window = { from: 0, to: 1_000_000 };
const major = 'major_outage';
const partial = 'partial_outage';
const degraded = 'degraded_performance';
const maintenance = 'under_maintenance';

interface Row {
  readonly name: string;
  readonly spans: readonly Span[];
  readonly since?: number;
  /** Seconds; absent: all. */
  readonly observed?: number;
  readonly down: number;
  readonly pct: number;
}

const table: readonly Row[] = [
  { name: 'nothing happened', spans: worked(), down: 0, pct: 100 },
  { name: 'an outage that began before the window', spans: worked([-100, 50, major]), down: 50, pct: 95 },
  { name: 'an outage that is over before the window', spans: worked([-100, 0, major]), down: 0, pct: 100 },
  { name: 'an outage as long as all', spans: worked([-5, 2000, major]), down: 1000, pct: 0 },
  { name: 'two outages that overlap', spans: worked([100, 200, major], [150, 250, major]), down: 150, pct: 85 },
  {
    name: 'two partial outages that overlap are no major one',
    spans: worked([100, 300, partial], [200, 400, partial]),
    down: 150,
    pct: 85,
  },
  {
    name: 'a partial outage inside a major one',
    spans: worked([100, 300, major], [150, 200, partial]),
    down: 200,
    pct: 80,
  },
  {
    name: 'a major outage inside a partial one',
    spans: worked([100, 300, partial], [150, 200, major]),
    down: 125,
    pct: 87.5,
  },
  { name: 'an outage that goes on', spans: worked([900, undefined, major]), down: 100, pct: 90 },
  { name: 'an outage that is to come', spans: worked([1000, undefined, major]), down: 0, pct: 100 },
  { name: 'slowness', spans: worked([0, 500, degraded]), down: 0, pct: 100 },
  { name: 'maintenance', spans: worked([200, 400, maintenance]), observed: 800, down: 0, pct: 100 },
  {
    name: 'maintenance that begins in an outage',
    spans: worked([100, 300, major], [200, 400, maintenance]),
    observed: 800,
    down: 100,
    pct: 87.5,
  },
  { name: 'maintenance all the time', spans: worked([0, 1000, maintenance]), observed: 0, down: 0, pct: 100 },
  {
    name: 'an outage from before the first heartbeat',
    spans: worked([400, 600, major]),
    since: 500,
    observed: 500,
    down: 100,
    pct: 80,
  },
  { name: 'nothing observed yet', spans: worked([0, 1000, major]), since: 1000, observed: 0, down: 0, pct: 100 },
  { name: 'a first heartbeat in the future', spans: worked(), since: 5000, observed: 0, down: 0, pct: 100 },
  { name: 'a stretch that a clock turned around', spans: worked([300, 200, major]), down: 0, pct: 100 },
  {
    name: 'an outage that was over before the first heartbeat',
    spans: worked([0, 1, major]),
    since: 997,
    observed: 3,
    down: 0,
    pct: 100,
  },
  { name: 'a third, rounded down', spans: worked([997, 998, major]), since: 997, observed: 3, down: 1, pct: 66.666 },
];

describe('uptime', () => {
  for (const { name, spans, since = 0, observed = 1000, down, pct } of table)
    it(`counts ${name}`, () => {
      const found = uptimeOf(spans, window, since * 1000);
      expect([found.observed_seconds, found.downtime_seconds, found.uptime_pct]).to.deep.equal([observed, down, pct]);
      expect(found.coverage_pct).to.equal(observed / 10);
    });

  it('never shows 100 with a second, or a millisecond, of downtime in 30 days', () => {
    const now = Date.UTC(2026, 10, 21);
    for (const ms of [1000, 1]) {
      const found = uptimeOf([{ from: now - ms, to: now, status: major }], windowAt(now), 0);
      expect(found.uptime_pct).to.equal(99.999);
    }
  });

  it('is 30 times 24 hours, whatever clocks are set to in between', () => {
    // The end of summer time in Europe lies in the window.
    const { from, to } = windowAt(Date.UTC(2026, 10, 10));
    expect(to - from).to.equal(30 * 24 * 3_600_000);
  });

  const lanes = (given: Partial<Record<(typeof services)[number], readonly Worked[]>>): Lanes =>
    each((service) => worked(...(given[service] ?? [])));
  const platform = (given: Parameters<typeof lanes>[0]): readonly number[] => {
    const { observed_seconds, downtime_seconds, uptime_pct } = platformUptime(lanes(given), window, 0);
    return [observed_seconds, downtime_seconds, uptime_pct];
  };

  it('of the platform is at each moment that of its worst service', () => {
    expect(platform({ runtime: [[0, 100, major]], ingestion: [[50, 150, major]] })).to.deep.equal([1000, 150, 85]);
    expect(platform({ runtime: [[0, 100, partial]], reputation_ledger: [[50, 150, major]] })).to.deep.equal([
      1000, 125, 87.5,
    ]);
    for (const service of services)
      expect(platform({ [service]: [[0, 100, major]] }), service).to.deep.equal([1000, 100, 90]);
  });

  it('of the platform leaves out a service under maintenance, and the time when all of them are', () => {
    expect(platform({ runtime: [[0, 500, maintenance]], ingestion: [[100, 200, major]] })).to.deep.equal([
      1000, 100, 90,
    ]);
    expect(
      platform({
        runtime: [
          [0, 500, maintenance],
          [0, 500, major],
        ],
      }),
    ).to.deep.equal([1000, 0, 100]);
    const all = each((): readonly Worked[] => [[0, 200, maintenance]]);
    expect(platform(all)).to.deep.equal([800, 0, 100]);
  });

  it('of the platform counts a gap of all services once', () => {
    const gap = each((): readonly Worked[] => [[100, 200, major]]);
    expect(platform(gap)).to.deep.equal([1000, 100, 90]);
  });

  it('agrees with looking at every second one by one', () => {
    let seed = 7;
    const random = (most: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * most);
    };
    const words = [major, partial, degraded, maintenance] as const;
    for (let round = 0; round < 200; round++) {
      const given = each((): readonly Worked[] =>
        Array.from({ length: random(5) }, () => {
          const from = random(120) - 10;
          return [from, random(4) === 0 ? undefined : from + random(40), words[random(4)] ?? major] as const;
        }),
      );
      const since = random(110) - 5;
      const found = platformUptime(lanes(given), { from: 0, to: 100_000 }, since * 1000);
      const counted = bySeconds(given, since, 100);
      expect([found.observed_seconds, found.downtime_seconds], JSON.stringify(given)).to.deep.equal(counted);
    }
  });
});

function bySeconds(given: Readonly<Record<string, readonly Worked[]>>, since: number, end: number): readonly number[] {
  let [observed, down] = [0, 0];
  for (let second = Math.max(0, since); second < end; second++) {
    const found = Object.values(given).flatMap((spans) => {
      const active = spans.filter(([from, to = end]) => from <= second && second < to).map(([, , status]) => status);
      if (active.includes(maintenance)) return [];
      return [Math.max(0, ...active.map((status) => weights[status as keyof typeof weights]))];
    });
    if (found.length === 0) continue;
    observed += 1;
    down += Math.max(...found);
  }
  return [observed, down];
}
