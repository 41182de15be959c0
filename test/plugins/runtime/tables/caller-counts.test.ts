import { expect } from 'chai';
import { operation } from '../../../../kernel/index.ts';
import { firstIdAt } from '../../../../kernel/tools/id.ts';
import { countCallers, kept } from '../../../../plugins/runtime/stats/retention.ts';
import { mostRuns, type CallersQuery } from '../../../../plugins/runtime/tables/caller-series.ts';
import { steps } from '../../../../plugins/runtime/tables/counts.ts';
import runtimeStore, { type RunRow } from '../../../../plugins/runtime/store.ts';
import type { OpenStore } from '../../../../kernel/store/serving/store.ts';
import { openInMemory } from '../../../helpers/stores/memory.ts';
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

describe('runs of callers', function () {
  this.timeout(60_000);
  const stores = new Stores();
  let store: OpenStore;
  beforeEach(async () => {
    store = await stores.open(stores.folder(), { modules: [{ module: runtimeStore }] });
  });
  afterEach(() => stores.tidy());

  const insert = (rows: readonly RunRow[]) => store.write(rows.map((row) => operation(runtimeStore, 'insertRun', row)));
  const asked = (more: Partial<CallersQuery> = {}) => {
    const day = { from: start / 1000, to: start / 1000 + steps.day, step: steps.hour, tenant: undefined };
    return readsNow(store, runtimeStore).listCallers({ ...day, by: 'principal', ...more });
  };
  const totals = (more?: Partial<CallersQuery>) =>
    asked(more)?.map(({ value, points }) => [value, points.map(({ at, total }) => [at - start / 1000, total])]);

  it('are counted by principal and by key, in the time and the tenant that are asked for', async () => {
    const other = { principal: 'prn_2', key_id: 'key_2', tenant: 'b', status: 'failed' } as const;
    await insert([run(start - 1), run(start), run(start + 3_600_000), run(start + 86_400_000)]);
    await insert([run(start + 60_000, other), run(start, { key_id: null })]);
    expect(totals()).to.deep.equal([
      [
        'prn_1',
        [
          [0, 2],
          [3600, 1],
        ],
      ],
      ['prn_2', [[0, 1]]],
    ]);
    expect(totals({ by: 'key_id', step: steps.day })).to.deep.equal([
      ['key_1', [[0, 2]]],
      ['', [[0, 1]]],
      ['key_2', [[0, 1]]],
    ]);
    expect(totals({ tenant: 'b' })).to.deep.equal([['prn_2', [[0, 1]]]]);
    expect(asked({ tenant: 'b' })?.[0]?.overall).to.deep.equal({
      ...{ total: 1, statuses: { failed: 1 }, mean_ms: 5, p50_ms: 5, p95_ms: 5 },
    });
  });

  it('have the durations of the counts, whose buckets the database finds', async () => {
    const durations = [0, 3, 8, 9, 100, 4097, 70_000, 600_000];
    await insert(durations.map((execution_ms) => run(start, { execution_ms })));
    const time = { from: start / 1000, to: start / 1000 + steps.day, step: steps.hour, tenant: undefined };
    const [counted] = readsNow(store, runtimeStore).listSeries({ ...time, what: 'runs', by: undefined }) ?? [];
    expect(asked()?.[0]?.overall).to.deep.equal(counted?.overall);
  });

  it('are counted some hours later, and each once, however late it ends', async () => {
    const hour = 3_600_000;
    const clock = (after: number) => ({ now: () => start + after });
    const other = { principal: 'prn_2', key_id: 'key_2', status: 'failed' } as const;
    await insert([run(start), run(start + hour), run(start + 2 * hour, other), run(start + 4 * hour)]);
    const range = { from: start / 1000, to: start / 1000 + steps.day };
    const found = () => [
      totals(range),
      totals({ ...range, by: 'key_id', step: steps.day }),
      asked(range)?.[0]?.overall,
    ];
    const before = found();
    await countCallers(store, clock(4 * hour + 1));
    // Below the bound are no runs any more that would be read: they are in the counts alone.
    expect(found()).to.deep.equal(before);
    await countCallers(store, clock(8 * hour));
    expect(found()).to.deep.equal(before);
    await countCallers(store, clock(8 * hour));
    expect(found()).to.deep.equal(before);
    // It was accepted before the others, waited, and starts now.
    await insert([run(start, { ...other, started_at: new Date(start + 6 * hour).toISOString() })]);
    expect(totals(range)).to.deep.equal([
      [
        'prn_1',
        [
          [0, 1],
          [3600, 1],
          [4 * 3600, 1],
        ],
      ],
      [
        'prn_2',
        [
          [2 * 3600, 1],
          [6 * 3600, 1],
        ],
      ],
    ]);
    const later = found();
    await countCallers(store, clock(kept.hour * 1000 + 2 * steps.day * 1000));
    expect(totals({ ...range, step: steps.day })).to.deep.equal([
      ['prn_1', [[0, 3]]],
      ['prn_2', [[0, 2]]],
    ]);
    expect(asked({ ...range, step: steps.day })?.[0]?.overall).to.deep.equal(later[2]);
    await countCallers(store, clock(kept.day * 1000 + 2 * steps.day * 1000));
    expect(totals({ ...range, step: steps.day })).to.deep.equal([]);
  });

  it('are not answered while a question would visit too many; those that are counted can be more', async () => {
    const { driver, operations, reads } = openInMemory(runtimeStore);
    const count = mostRuns + 10_000;
    const { run_id, ...row } = run(start);
    const names = Object.keys(row);
    driver
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
         INSERT INTO runtime_runs (run_id, ${names.join(', ')})
         SELECT '${run_id.slice(0, -6)}' || printf('%06d', n), ${names.map(() => '?').join(', ')} FROM numbers`,
      )
      .run(...Object.values(row));
    const day = { from: start / 1000, to: start / 1000 + steps.day, tenant: undefined, by: 'key_id' } as const;
    expect(reads.listCallers({ ...day, step: steps.hour })).to.equal(undefined);
    expect(reads.listCallers({ ...day, step: steps.hour, tenant: 'b' })).to.deep.equal([]);
    for (let more = true; more;) more = await operations.countCallers({ before: idAt(start + steps.hour * 1000) });
    expect(reads.listCallers({ ...day, step: steps.hour })?.[0]?.overall.total).to.equal(count);
    expect(reads.listCallers({ ...day, step: steps.minute })).to.equal(undefined);
  });
});
