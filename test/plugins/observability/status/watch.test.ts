import { expect } from 'chai';
import { compile, type Store } from '../../../../kernel/index.ts';
import { silentLog } from '../../../../kernel/tools/log.ts';
import observability from '../../../../plugins/observability/index.ts';
import { keepWatch } from '../../../../plugins/observability/status/watch.ts';
import { until } from '../../../helpers/until.ts';

describe('the retention of spans', () => {
  for (const [days, faults] of [
    [89, 1],
    [90, 0],
  ] as const)
    it(`has ${faults} faults with ${days} days: /status shows 90`, () => {
      expect(compile(observability.config)({ retention_days: days })).to.have.length(faults);
    });
});

describe('the watch over the board', () => {
  it('looks once for many changes, soon; before it starts and after it stops not at all', async () => {
    const seen: string[] = [];
    const watch = keepWatch({
      board: { look: () => void seen.push('look'), glance: () => void seen.push('glance') },
      store: { write: () => Promise.resolve([]) } as unknown as Pick<Store, 'write'>,
      clock: { now: () => 0, monotonic: () => 0 },
      log: silentLog,
      keptDays: 100,
      tidies: () => true,
    });
    watch.soon();
    watch.start();
    for (let change = 0; change < 100; change++) watch.soon();
    await until(
      async () => seen,
      (found) => found.includes('glance'),
    );
    // A glance is due a second after the start, long after the look.
    expect(seen[0]).to.equal('look');
    expect(seen.filter((one) => one === 'look')).to.have.lengthOf(1);
    watch.soon();
    watch.stop();
    watch.soon();
    const before = seen.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).to.have.lengthOf(before);
  });
});
