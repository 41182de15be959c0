import { expect } from 'chai';
import { dueDay } from '../../../../plugins/ledger/follow/snapshots.ts';
import type { LedgerReads } from '../../../../plugins/ledger/reputation/reads.ts';
import { dayText } from '../../../../plugins/ledger/score/day.ts';
import { runPredicate, startDay, syntheticLog } from '../synthetic-log.ts';

describe('the day whose snapshot is due', () => {
  /** At noon of a day after the first, with a log of one run on that first day; `last`: the day of the last snapshot. */
  const due = (day: number, last?: number): number | undefined => {
    const log = syntheticLog();
    log.append('run', runPredicate({ day: 0, second: 0, caller: 1 }));
    const known = last === undefined ? undefined : { day: dayText(startDay + last) };
    // Nothing else is read here.
    const reads = { lastSnapshot: () => known } as unknown as LedgerReads;
    const found = dueDay({
      clock: { now: () => (startDay + day) * 86_400_000 + 43_200_000, monotonic: () => 0 },
      reads,
      log,
    });
    return found === undefined ? undefined : found - startDay;
  };

  it('is that of the first entry, unless it has not ended', () => {
    expect([0, 1, 2, 100].map((day) => due(day))).to.deep.equal([undefined, 0, 0, 0]);
  });

  it('is none that no window reaches from yesterday: the first snapshot of an old log is of the last 180 days', () => {
    expect([180, 181, 182, 1000].map((day) => due(day))).to.deep.equal([0, 1, 2, 820]);
  });

  it('is the one after the last, however long ago that was, so that no day is left out', () => {
    expect([due(1000, 3), due(5, 3), due(4, 3)]).to.deep.equal([4, 4, undefined]);
  });
});
