import { mock } from 'node:test';
import { expect } from 'chai';
import type { Store } from '../../../../kernel/index.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import { forgetUsage, keepUsage } from '../../../../plugins/ingestion/deliveries/usage-retention.ts';
import ingestionStore from '../../../../plugins/ingestion/store.ts';
import { openInMemory } from '../../../helpers/stores/memory.ts';

const clock = { now: () => Date.UTC(2026, 10, 23, 15), monotonic: () => 0 };

describe('the retention of usage', () => {
  function recorder(found: readonly number[]) {
    const asked: unknown[] = [];
    const left = [...found];
    const write = (operations: readonly unknown[]) => (asked.push(...operations), Promise.resolve([left.shift() ?? 0]));
    return { asked, store: { write } as unknown as Pick<Store, 'write'> };
  }

  it('forgets in writes of 5,000 until one finds less, whole days of UTC', async () => {
    const { asked, store } = recorder([5000, 4999, 1]);
    expect(await forgetUsage(store, clock, 30)).to.equal(9999);
    expect(asked).to.have.length(2);
    expect(asked[0]).to.deep.include({ name: 'pruneUsage', args: { before: '2026-10-24', most: 5000 } });
  });

  for (const [days, writes] of [
    [undefined, 0],
    [30, 2],
  ] as const)
    it(`looks ${writes} times in two hours when ${days ?? 'no'} days are set, and not after its stop`, async () => {
      mock.timers.enable({ apis: ['setInterval'] });
      try {
        const { asked, store } = recorder([]);
        const stop = keepUsage(store, clock, days, silentLog);
        mock.timers.tick(3_600_000);
        await new Promise(setImmediate);
        mock.timers.tick(3_600_000);
        await new Promise(setImmediate);
        stop();
        mock.timers.tick(3_600_000);
        expect(asked).to.have.length(writes);
      } finally {
        mock.timers.reset();
      }
    });

  it('deletes the days before one of every source, also a deleted one, in steps', () => {
    const { driver, operations } = openInMemory(ingestionStore);
    const add = driver.prepare(`INSERT INTO ingestion_usage VALUES (?, ?, 'track', 'a', 1, 1)`);
    for (const source of ['src_1', 'src_2']) {
      driver
        .prepare(`INSERT INTO ingestion_sources VALUES (?, ?, '{}', '', '', ?)`)
        .run(source, Buffer.from(source), source === 'src_2' ? '2026-11-01' : null);
      for (const day of ['2026-11-18', '2026-11-19', '2026-11-20']) add.run(source, day);
    }
    const left = () =>
      driver
        .prepare(`SELECT group_concat(substr(source_id, 5) || substr(day, 9), ' ') FROM ingestion_usage`)
        .pluck()
        .get();
    expect([operations.pruneUsage({ before: '2026-11-20', most: 3 }), left()]).to.deep.equal([3, '120 219 220']);
    expect([operations.pruneUsage({ before: '2026-11-20', most: 3 }), left()]).to.deep.equal([1, '120 220']);
    expect(operations.pruneUsage({ before: '2026-11-20', most: 3 })).to.equal(0);
  });
});
