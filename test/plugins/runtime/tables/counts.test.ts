import { expect } from 'chai';
import { operation, type WriterScope } from '../../../../kernel/index.ts';
import { firstIdAt } from '../../../../kernel/tools/id.ts';
import { foldCounts, kept } from '../../../../plugins/runtime/stats/retention.ts';
import { countWrites, steps } from '../../../../plugins/runtime/tables/counts.ts';
import { mostRows, type SeriesQuery } from '../../../../plugins/runtime/tables/count-series.ts';
import runtimeStore, { type RunRow } from '../../../../plugins/runtime/store.ts';
import type { OpenStore } from '../../../../kernel/store/serving/store.ts';
import { Stores } from '../../../helpers/stores/open.ts';
import { readsNow } from '../../../helpers/reads.ts';

const start = Date.UTC(2026, 10, 1);
let number = 0;

const idAt = (at: number): string => firstIdAt('run', at).slice(0, -6) + String(++number).padStart(6, '0');

const run = (at: number, more: Partial<RunRow> = {}): RunRow => ({
  ...{ run_id: idAt(at), tenant: 'a', orbiset_id: 'default', orb_id: 'x.y@1.0.0', principal: 'prn_1' },
  ...{ status: 'completed', reason: null, mode: 'live', provider: 'p', execution_ms: 5 },
  ...{ started_at: new Date(at).toISOString(), finished_at: new Date(at + 5).toISOString() },
  ...{ receipt_id: `rec_${number}`, resolution: null, silent: null, key_id: 'key_1' },
  ...more,
});

describe('counts of runs', function () {
  this.timeout(60_000);
  const stores = new Stores();
  let store: OpenStore;
  beforeEach(async () => {
    store = await stores.open(stores.folder(), { modules: [{ module: runtimeStore }] });
  });
  afterEach(() => stores.tidy());

  const insert = (rows: readonly RunRow[]) => store.write(rows.map((row) => operation(runtimeStore, 'insertRun', row)));
  const asked = (more: Partial<SeriesQuery>) => {
    const all = { from: 0, to: 2 ** 40, step: steps.day, tenant: undefined, what: 'runs', by: undefined };
    return readsNow(store, runtimeStore).listSeries({ ...all, ...more });
  };
  const totals = (more: Partial<SeriesQuery> = {}): readonly (readonly number[])[] =>
    (asked(more) ?? []).map(({ points }) => points.map(({ total }) => total));

  it('are those of the runs whose commit succeeded, once each', async () => {
    const good = run(start);
    await insert([good, run(start, { execution_ms: 100, status: 'failed' })]);
    await insert([good]).then(
      () => expect.fail('a run cannot be stored twice'),
      () => undefined,
    );
    const [series] = asked({ step: steps.minute }) ?? [];
    const figures = { total: 2, statuses: { completed: 1, failed: 1 }, mean_ms: 53, p50_ms: 5, p95_ms: 112 };
    expect(series?.points).to.deep.equal([{ at: start / 1000, ...figures }]);
    expect(series?.overall).to.deep.equal(figures);
  });

  it('keep every run as they are folded from minutes into hours into days, until the days are deleted', async () => {
    const hours = Array.from({ length: 100 }, (_, index) => index * 3_600_000 + (index % 60) * 60_000);
    await insert(hours.flatMap((ms) => [run(start + ms), run(start + ms, { tenant: 'b' })]));
    const ages = [0, kept.minute + 3 * steps.day, kept.hour + 7 * steps.day, kept.day + 99 * steps.day];
    const found = [];
    for (const age of ages) {
      await foldCounts(store, { now: () => start + age * 1000 });
      const fine = (step: number) => (totals({ step })[0] ?? []).length;
      found.push([
        totals()
          .flat()
          .reduce((sum, n) => sum + n, 0),
        fine(steps.minute) > 0,
        fine(steps.hour) > 5,
      ]);
    }
    expect(found).to.deep.equal([
      [200, true, true],
      [200, true, true],
      [200, false, false],
      [0, false, false],
    ]);
  });

  it('of one hour are folded with one statement for each of its kinds, however many minutes there are', async () => {
    const minutes = Array.from({ length: 120 }, (_, index) => ({ ...count(index >> 1), tenant: `t${index % 2}` }));
    const added: unknown[] = [];
    const statement = (sql: string) => ({
      queue: (...values: unknown[]) => void added.push(values),
      get: async () => ({ at: 0 }),
      all: async () => (sql.startsWith('DELETE') ? minutes : []),
    });
    const scope = {
      connection: { prepare: statement },
      shared: true,
      node: { incarnation: 'i' },
    } as unknown as WriterScope;
    await countWrites(scope).foldCounts({ from: steps.minute, into: steps.hour, before: steps.hour });
    expect(added).to.deep.equal([
      ['t0', 3600, 0, 'runs', 'default', 'x.y@1.0.0', 'p', 'completed', 'live', 1, 60, 120],
      ['t1', 3600, 0, 'runs', 'default', 'x.y@1.0.0', 'p', 'completed', 'live', 1, 60, 120],
    ]);
  });

  it('that are folded in part are all in the answer', async () => {
    await insert([run(start), run(start + 60_000), run(start + 30 * 86_400_000)]);
    await foldCounts(store, { now: () => start + 30 * 86_400_000 });
    expect(totals({ step: steps.hour })).to.deep.equal([[2, 1]]);
    expect(totals({ step: steps.minute })).to.deep.equal([[1]]);
  });

  it('do not need the runs: what is asked is answered from the counts alone', async () => {
    await insert([run(start), run(start)]);
    const { listRuns } = readsNow(store, runtimeStore);
    expect(
      listRuns({ tenant: 'a', status: undefined, orb_id: undefined, before: undefined, limit: 9 }).items,
    ).to.have.length(2);
    await store.write([operation(runtimeStore, 'count', { samples: [sample(start)] })]);
    expect(totals()).to.deep.equal([[3]]);
  });

  it('are in the step in which a run started, whose list has the run', async () => {
    const late = { finished_at: new Date(start + 3_600_000).toISOString() };
    await insert([run(start + 59_999, late), run(start + 60_000, late)]);
    const points = asked({ step: steps.minute })?.[0]?.points.map(({ at }) => at * 1000);
    expect(points).to.deep.equal([start, start + 60_000]);
    const [from, to] = [start, start + 60_000].map((ms) => new Date(ms).toISOString());
    const { items } = readsNow(store, runtimeStore).listRuns({ tenant: undefined, from, to, limit: 9 });
    expect(items.map(({ started_at }) => started_at)).to.deep.equal([new Date(start + 59_999).toISOString()]);
  });

  it('of more values than fifty end with one series of all others', async () => {
    await insert(Array.from({ length: 60 }, (_, index) => run(start, { orb_id: `x.y${index}@1.0.0` })));
    await insert([run(start, { orb_id: 'x.y59@1.0.0' })]);
    const series = asked({ by: 'orb_id' }) ?? [];
    expect(series).to.have.length(51);
    expect(series[0]).to.deep.include({ value: 'x.y59@1.0.0' });
    expect([series[50]?.value, series[50]?.points[0]?.total]).to.deep.equal([undefined, 10]);
  });

  it('are not answered when a question would visit too many', async () => {
    for (let part = 0; part < 11; part++) {
      const samples = Array.from({ length: mostRows / 10 }, (_, index) => sample(start, `orb${part}.y${index}@1.0.0`));
      await store.write([operation(runtimeStore, 'count', { samples })]);
    }
    expect(asked({})).to.equal(undefined);
    expect(asked({ tenant: 'b' })).to.deep.equal([]);
  });
});

// A count as a row is read.
function count(at: number) {
  const one = { at, what: 'runs', orbiset_id: 'default', orb_id: 'x.y@1.0.0', name: 'p', status: 'completed' };
  return { ...one, mode: 'live', le_ms: 1, n: 1, ms: 2 };
}

function sample(at: number, orb_id = 'x.y@1.0.0') {
  const one = { what: 'runs', tenant: 'a', orbiset_id: 'default', name: 'p', status: 'completed', mode: 'live', ms: 1 };
  return { ...one, orb_id, at: new Date(at).toISOString() };
}
