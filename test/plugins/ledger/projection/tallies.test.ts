import { expect } from 'chai';
import { MemoryTallies, Summing } from '../../../../plugins/ledger/projection/tallies.ts';

const [orb, other] = ['a.b@1.0.0', 'a.c@1.0.0'];
const callerDay = (more: object = {}) => ({
  ...{ orb_id: orb, day: 5, caller: 'x', ok: 1, fault: 2, broken: 3, fast: 4, slow: 5 },
  ...more,
});
const minute = (more: object = {}) => ({ ...{ orb_id: orb, minute: 7, provider: 'p', n: 3, fault: 1 }, ...more });
const dayCount = (more: object = {}) => ({ ...{ orb_id: orb, day: 5, name: 'sandbox' as const, n: 2 }, ...more });

describe('sums of counts', () => {
  it('add up per cell: Orb and day and caller, minute and provider, or counter', () => {
    const sums = new Summing();
    for (const more of [{}, {}, { orb_id: other }, { day: 6 }, { caller: 'y' }]) sums.callerDay(callerDay(more));
    for (const more of [{}, {}, { orb_id: other }, { minute: 8 }, { provider: 'q' }]) sums.minute(minute(more));
    for (const more of [{}, {}, { orb_id: other }, { day: 6 }, { name: 'self' }]) sums.day(dayCount(more));
    expect(sums.take()).to.deep.equal({
      callerDays: [
        ...[callerDay({ ok: 2, fault: 4, broken: 6, fast: 8, slow: 10 }), callerDay({ orb_id: other })],
        ...[callerDay({ day: 6 }), callerDay({ caller: 'y' })],
      ],
      minutes: [
        ...[minute({ n: 6, fault: 2 }), minute({ orb_id: other }), minute({ minute: 8 }), minute({ provider: 'q' })],
      ],
      days: [dayCount({ n: 4 }), dayCount({ orb_id: other }), dayCount({ day: 6 }), dayCount({ name: 'self' })],
    });
  });

  it('are handed over once', () => {
    const sums = new Summing();
    sums.callerDay(callerDay());
    sums.minute(minute());
    sums.day(dayCount());
    sums.take();
    expect(sums.take()).to.deep.equal({ callerDays: [], minutes: [], days: [] });
  });
});

describe('counts in memory', () => {
  it('add up per caller and day, and are read with both ends', () => {
    const tallies = new MemoryTallies();
    for (const day of [4, 5, 6, 7, 8]) tallies.callerDay(callerDay({ day }));
    tallies.callerDay(callerDay());
    tallies.callerDay(callerDay({ caller: 'y' }));
    tallies.callerDay(callerDay({ orb_id: other }));
    const rows = tallies
      .callerDays(orb, 5, 7)
      .map(({ day, caller, ...counts }) => [day, caller, Object.values(counts)]);
    expect(rows).to.deep.equal([
      [5, 'x', [2, 4, 6, 8, 10]],
      [6, 'x', [1, 2, 3, 4, 5]],
      [7, 'x', [1, 2, 3, 4, 5]],
      [5, 'y', [1, 2, 3, 4, 5]],
    ]);
    expect(tallies.callerDays('a.d@1.0.0', 0, 9)).to.deep.equal([]);
  });

  it('add up per provider over the minutes between both ends', () => {
    const tallies = new MemoryTallies();
    for (const at of [6, 7, 8, 9, 10]) tallies.minute(minute({ minute: at }));
    tallies.minute(minute({ provider: 'q' }));
    tallies.minute(minute());
    tallies.minute(minute({ orb_id: other }));
    const minutes = (orb_id: string, from: number, to: number) => tallies.minutesOf([{ orb_id, from, to }])[0];
    expect(minutes(orb, 7, 9)).to.deep.equal([
      { provider: 'p', n: 12, fault: 4 },
      { provider: 'q', n: 3, fault: 1 },
    ]);
    expect(minutes('a.d@1.0.0', 0, 20)).to.deep.equal([]);
  });
});
