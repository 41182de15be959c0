import { mock } from 'node:test';
import { expect } from 'chai';
import { silentLog } from '../../../kernel/tools/log.ts';
import { boundBacklogs } from '../../../plugins/subscriptions/backlog.ts';
import type { Subscription } from '../../../plugins/subscriptions/subscription.ts';

const everyMs = 2000;

describe('the bound of callbacks that wait', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  /** Answers how often one that is resumed at once after each end is switched off, by the counts of the looks. */
  async function offs(counts: readonly number[]): Promise<number> {
    let [found, count] = [0, 0];
    const stop = boundBacklogs({
      directory: {
        all: () => [{ subscription_id: 'sub_1', state: 'active' } as Subscription],
        switchOff: async () => void found++,
      },
      reads: { waiting: () => new Map([['sub_1', count]]) },
      log: silentLog,
      most: 2,
    });
    for (count of counts) {
      mock.timers.tick(everyMs);
      await new Promise(setImmediate);
    }
    stop();
    return found;
  }

  it('ends a subscription with too many while more come', async () => {
    expect(await offs([1, 2, 2])).to.equal(0);
    expect(await offs([3, 3, 2])).to.equal(0);
    expect(await offs([3, 4])).to.equal(1);
  });

  it('leaves one on that was resumed before the next look, whatever came while it was switched off', async () => {
    expect(await offs([3, 4, 5, 5, 4])).to.equal(1);
    expect(await offs([3, 4, 5, 6])).to.equal(2);
  });
});
