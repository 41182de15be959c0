import { expect } from 'chai';
import { silentLog } from '../../../kernel/tools/log.ts';
import type { Incidents, IncidentView, MaintenanceView } from '../../../plugins/ingestion/contract.ts';
import { concernsService, type Board, type Snapshot } from '../../../plugins/observability/status/board.ts';
import { createHistory, daysOf, windowOfDays } from '../../../plugins/observability/status/history.ts';
import { each } from '../../../plugins/observability/status/measure.ts';
import type { Lanes } from '../../../plugins/observability/status/uptime.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 21, 15);
const ago = (days: number): string => new Date(now - days * dayMs).toISOString();
const scope = [{ kind: 'component', id: 'runtime' }] as const;

const lanes: Lanes = each((service) =>
  service === 'runtime' ? [{ from: now - 40 * dayMs, to: now - 6.7 * dayMs, status: 'partial_outage' }] : [],
);
const incident = (days: number, ended?: number): IncidentView =>
  ({
    ...{ incident_id: `inc_${days}`, scope, starts_at: ago(days) },
    ...(ended === undefined ? {} : { ends_at: ago(ended) }),
  }) as unknown as IncidentView;
const window = (days: number, ended: number): MaintenanceView => ({
  ...{ maintenance_id: `mnt_${days}`, title: 'x', scope },
  ...{ starts_at: ago(days), ends_at: ago(ended) },
});
const incidents = [incident(80, 20), incident(50), incident(40, 35), incident(9, 8), incident(1, 0.5)];
const windows = [window(60, 50), window(12, 1)];

function overlapping<T extends { readonly starts_at: string; readonly ends_at?: string }>(all: readonly T[]) {
  return (from: string, to: string) =>
    all.filter(({ starts_at, ends_at }) => starts_at < to && (ends_at === undefined || ends_at > from));
}

/** A history over a store that counts its reads. */
function world() {
  const state = { reads: 0, readable: true, snapshot: { at: now, lanes } as unknown as Snapshot };
  const between = overlapping(incidents);
  const board = { snapshot: () => state.snapshot, lanes: async () => lanes } as unknown as Board;
  const service = {
    async between(from: string, to: string) {
      state.reads += 1;
      if (!state.readable) throw new Error('no disk');
      return between(from, to);
    },
    maintenanceBetween: overlapping(windows),
  } as unknown as Incidents;
  const clock = { now: () => now, monotonic: () => 0 };
  state.snapshot = fresh();
  return { state, history: createHistory(board, service, { clock, log: silentLog }) };
}

function fresh(): Snapshot {
  const observedSince = now - 70 * dayMs;
  return { at: now, lanes, observedSince, incidents: [], maintenance: [] } as unknown as Snapshot;
}

describe('the history of the status', () => {
  it('is read once per snapshot, whatever number of days is asked for and by how many at once', async () => {
    const { state, history } = world();
    await Promise.all([1, 7, 30, 30, 90].map((days) => history.of(days)));
    for (let days = 1; days <= 90; days++) await history.of(days);
    expect(state.reads).to.equal(1);
    state.snapshot = fresh();
    await history.of(30);
    expect(state.reads).to.equal(2);
  });

  it('is of any number of days what a read of these days alone would find', async () => {
    const { history } = world();
    for (let days = 1; days <= 90; days++) {
      const span = windowOfDays(now, days);
      const [from, to] = [new Date(span.from).toISOString(), new Date(span.to).toISOString()];
      expect(await history.of(days), `${days} days`).to.deep.equal({
        days: daysOf(lanes, span, now - 70 * dayMs),
        incidents: overlapping(incidents)(from, to).filter(concernsService).reverse(),
        maintenance: overlapping(windows)(from, to).reverse(),
        complete: true,
      });
    }
  });

  it('is what was read last when the store cannot be read, and is read again with the next snapshot', async () => {
    const { state, history } = world();
    await history.of(30);
    [state.readable, state.snapshot] = [false, fresh()];
    const { complete, incidents: found } = await history.of(3);
    expect([complete, found.map(({ incident_id }) => incident_id)]).to.deep.equal([false, ['inc_1', 'inc_50']]);
    [state.readable, state.snapshot] = [true, fresh()];
    expect((await history.of(3)).complete).to.equal(true);
  });
});
