import { expect } from 'chai';
import type { Health, Operation, Store } from '../../../kernel/index.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import type { Incidents, Interval } from '../../../plugins/ingestion/contract.ts';
import type { MeasuredSpan } from '../../../plugins/observability/status/store.ts';
import { Board } from '../../../plugins/observability/status/board.ts';

const start = Date.UTC(2026, 10, 21);
const hour = 3_600_000;

interface World {
  readonly board: Board;
  now: number;
  readonly health: Record<string, Health>;
  readonly turns: { readonly service: string; readonly at: number; readonly status: string }[];
  rows: readonly MeasuredSpan[];
  intervals: readonly Interval[];
  writable: boolean;
  readable: boolean;
  measurable: boolean;
}

function world(): World {
  const none = {
    open: () => [],
    maintenance: () => [],
    intervals: (of: readonly unknown[]) => of.map(() => found.intervals),
  };
  const found: Omit<World, 'board'> = {
    now: start,
    health: { store: 'up', ledger: 'up', ingestion: 'up', observability: 'up', receipts: 'up' },
    turns: [],
    rows: [],
    intervals: [],
    writable: true,
    readable: true,
    measurable: true,
  };
  const write = (operations: readonly Operation[]): Promise<unknown[]> => {
    if (!found.writable) return Promise.reject(new Error('no disk'));
    found.turns.push(...operations.map(({ args }) => args as World['turns'][number]));
    return Promise.resolve([]);
  };
  const board = new Board({
    platform: {
      components() {
        if (!found.measurable) throw new Error('no disk');
        return Object.fromEntries(Object.entries(found.health).map(([name, health]) => [name, { health }]));
      },
    },
    incidents: none as unknown as Incidents,
    store: { write } as unknown as Pick<Store, 'write'>,
    reads: {
      spansIn() {
        if (!found.readable) throw new Error('no disk');
        return found.rows;
      },
    },
    clock: { now: () => found.now, monotonic: () => 0 },
    log: silentLog,
    observedSince: () => start - 24 * hour,
  });
  return Object.assign(found, { board });
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the board of the status', () => {
  const cases: readonly (readonly [component: string, health: Health, services: object, platform: string])[] = [
    ['receipts', 'down', { runtime: 'major_outage' }, 'major_outage'],
    ['policy', 'degraded', { runtime: 'degraded_performance' }, 'degraded_performance'],
    ['ledger', 'down', { reputation_ledger: 'major_outage' }, 'partial_outage'],
    ['ingestion', 'degraded', { ingestion: 'degraded_performance' }, 'degraded_performance'],
    ['observability', 'down', { observable_engine: 'major_outage' }, 'partial_outage'],
    ['store', 'down', { runtime: 'major_outage', ingestion: 'major_outage' }, 'major_outage'],
    ['policy', 'unknown', {}, 'operational'],
  ];
  for (const [component, health, services, platform] of cases)
    it(`makes of ${component} ${health}: ${platform}`, async () => {
      const { board, health: all } = world();
      all[component] = health;
      await board.look();
      expect((await board.snapshot()).services).to.deep.equal({
        runtime: 'operational',
        reputation_ledger: 'operational',
        observable_engine: 'operational',
        ingestion: 'operational',
        ...services,
      });
      expect((await board.snapshot()).status).to.equal(platform);
    });

  it('writes when a service turns, and only then', async () => {
    const one = world();
    await one.board.look();
    await settled();
    expect(one.turns).to.have.lengthOf(4);
    await one.board.look();
    one.health['ledger'] = 'down';
    one.now += 1000;
    await one.board.look();
    await settled();
    expect(one.turns.slice(4)).to.deep.equal([
      { service: 'reputation_ledger', at: start + 1000, status: 'major_outage' },
    ]);
  });

  it('counts downtime that cannot be written, and writes it with its own time once it can', async () => {
    const one = world();
    await one.board.look();
    await settled();
    one.writable = false;
    one.health['ledger'] = 'down';
    await one.board.look();
    await settled();
    one.now += hour;
    await one.board.look();
    expect((await one.board.snapshot()).byService.reputation_ledger.downtime_seconds).to.equal(3600);
    one.health['ledger'] = 'up';
    await one.board.look();
    await settled();
    one.now += hour;
    await one.board.look();
    expect((await one.board.snapshot()).byService.reputation_ledger.downtime_seconds).to.equal(3600);
    one.writable = true;
    await settled();
    await one.board.look();
    await settled();
    expect(one.turns.slice(4).map(({ at, status }) => [at, status])).to.deep.equal([
      [start, 'major_outage'],
      [start + hour, 'operational'],
    ]);
  });

  it('counts on from memory when the store cannot be read', async () => {
    const one = world();
    one.rows = [{ service: 'runtime', from: start - 2 * hour, to: start - hour, status: 'major_outage' }];
    one.intervals = [
      {
        kind: 'incident',
        incident_id: 'inc_x',
        impact: 'partial_outage',
        severity: 'high',
        from: new Date(start - 20 * hour).toISOString(),
        to: new Date(start - 18 * hour).toISOString(),
      },
    ];
    await one.board.look();
    expect((await one.board.snapshot()).uptime.downtime_seconds).to.equal(2 * 3600);
    one.readable = false;
    one.health['store'] = 'down';
    await one.board.look();
    for (let beat = 0; beat < 5; beat++) {
      one.now += hour;
      await one.board.look();
    }
    expect((await one.board.snapshot()).services.runtime).to.equal('major_outage');
    expect((await one.board.snapshot()).uptime.downtime_seconds).to.equal(7 * 3600);
    expect(() => one.board.lanes({ from: 0, to: 1 })).to.throw('no disk');
  });

  it('does not go on counting what the store believes to go on', async () => {
    const one = world();
    one.rows = [{ service: 'runtime', from: start - hour, status: 'major_outage' }];
    await one.board.look();
    await settled();
    one.now += 5 * hour;
    await one.board.look();
    expect((await one.board.snapshot()).byService.runtime.downtime_seconds).to.equal(3600);
  });

  it('says that observing has failed when a component cannot be measured', async () => {
    const one = world();
    await one.board.look();
    one.measurable = false;
    await one.board.look();
    expect((await one.board.snapshot()).services).to.deep.include({
      runtime: 'operational',
      observable_engine: 'major_outage',
    });
  });

  it('a glance looks again when something turned or ten seconds have gone, else not', async () => {
    const one = world();
    await one.board.look();
    const first = await one.board.snapshot();
    one.now += 9_999;
    await one.board.glance();
    expect(await one.board.snapshot()).to.equal(first);
    one.now += 1;
    await one.board.glance();
    const second = await one.board.snapshot();
    expect(second).not.to.equal(first);
    one.health['policy'] = 'degraded';
    await one.board.glance();
    expect((await one.board.snapshot()).status).to.equal('degraded_performance');
    expect((await one.board.snapshot()).since).to.deep.include({ runtime: one.now, ingestion: start });
  });
});
