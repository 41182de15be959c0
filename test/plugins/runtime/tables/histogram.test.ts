import Driver from 'better-sqlite3';
import { expect } from 'chai';
import { bucketOf, quantile } from '../../../../plugins/runtime/tables/histogram.ts';
import runtimeStore from '../../../../plugins/runtime/store.ts';

const durations = [...Array.from({ length: 3000 }, (_, ms) => ms), 4096, 4097, 599_999, 2 ** 30 + 1, 2 ** 31 - 1];

describe('the bucket of a duration', () => {
  for (const [ms, end] of [
    [0, 0],
    [8, 8],
    [9, 10],
    [16, 16],
    [17, 20],
    [100, 112],
    [1000, 1024],
  ] as const)
    it(`of ${ms} ms ends at ${end} ms`, () => expect(bucketOf(ms)).to.equal(end));

  it('ends at the duration or less than a quarter above it', () => {
    const wrong = durations.filter((ms) => bucketOf(ms) < ms || bucketOf(ms) > ms * 1.25);
    expect(wrong).to.deep.equal([]);
  });

  it('is the same for runs that were there before they were counted', () => {
    const driver = new Driver(':memory:');
    const first = runtimeStore.migrations.findIndex((text) => text.includes('CREATE TABLE runtime_counts'));
    for (const migration of runtimeStore.migrations.slice(0, first)) driver.exec(migration);
    const insert = driver.prepare(
      `INSERT INTO runtime_runs (run_id, tenant, orbiset_id, orb_id, principal, status, mode, started_at, finished_at,
         execution_ms, receipt_id) VALUES (?, 't', 'o', ?, 'p', 'completed', 'live', '', '2026-11-23T20:46:59.999Z', ?, 'r')`,
    );
    for (const ms of durations) insert.run(`run_${ms}`, `orb_${ms}`, ms);
    driver.exec(runtimeStore.migrations[first] ?? '');
    const rows = driver.prepare('SELECT orb_id, step, at, le_ms, n, ms FROM runtime_counts').all() as {
      readonly [name: string]: unknown;
    }[];
    expect(rows).to.have.length(durations.length);
    const at = Date.UTC(2026, 10, 23, 20) / 1000;
    for (const { orb_id, ...row } of rows) {
      const ms = Number(String(orb_id).slice(4));
      expect(row, String(ms)).to.deep.equal({ step: 3600, at, le_ms: bucketOf(ms), n: 1, ms });
    }
    driver.close();
  });
});

describe('a quantile of buckets', () => {
  it('is the end of the bucket that holds it, never below the true value', () => {
    const histogram = new Map<number, number>();
    for (let ms = 1; ms <= 1000; ms++) histogram.set(bucketOf(ms), (histogram.get(bucketOf(ms)) ?? 0) + 1);
    expect([quantile(histogram, 0.5), quantile(histogram, 0.95), quantile(histogram, 1)]).to.deep.equal([
      512, 1024, 1024,
    ]);
    expect(
      quantile(
        new Map([
          [10, 19],
          [500, 1],
        ]),
        0.95,
      ),
    ).to.equal(10);
    expect(
      quantile(
        new Map([
          [10, 18],
          [500, 2],
        ]),
        0.95,
      ),
    ).to.equal(500);
    expect(quantile(new Map(), 0.95)).to.equal(undefined);
  });
});
