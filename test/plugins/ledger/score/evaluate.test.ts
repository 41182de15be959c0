import { expect } from 'chai';
import { componentNames } from '../../../../plugins/ledger/contract.ts';
import { noDebt } from '../../../../plugins/ledger/score/debt.ts';
import { evaluate } from '../../../../plugins/ledger/score/evaluate.ts';
import { totalsOf, type CallerDay, type Totals } from '../../../../plugins/ledger/score/totals.ts';

const today = 1000;
const totals = (more: Partial<Totals> = {}): Totals => ({
  ...{ attempts: 100, good: 100, delivered: 100, fast: 100, timed: 100, nc: 4, callers: 4 },
  ...{ activeDays: 10, counted: 100, lastGood: today },
  ...more,
});
const judge = (more: Partial<Totals>) =>
  evaluate({ profile: 'single-org', day: today, own: totals(more), debt: noDebt });

describe('the judgement of an Orb', () => {
  it('counts freshness in full for seven days, less from the eighth, and no more from the sixtieth', () => {
    const at = componentNames.indexOf('freshness');
    const ages = [0, 7, 8, 59, 60, 61].map((age) => judge({ lastGood: today - age }).values_milli[at]);
    expect(ages).to.deep.equal([1000, 1000, 981, 19, 0, 0]);
  });

  it('inherits nothing from a version before of what that one never did', () => {
    const given = { profile: 'single-org', day: today, own: totals(), debt: noDebt } as const;
    const failed = totals({ good: 0, delivered: 0, fast: 0, timed: 0 });
    const [[reliability, ...others], [own, ...same]] = [
      evaluate({ ...given, parent: failed }).values_milli,
      evaluate(given).values_milli,
    ] as [number[], number[]];
    expect(others).to.deep.equal(same);
    expect(reliability).to.be.lessThan(own ?? 0);
  });

  it('is provisional below the effective runs that a score needs, and with fewer than two callers', () => {
    expect(judge({ attempts: 15 }).status).to.equal('scored');
    expect(judge({ attempts: 14.999 }).status).to.equal('provisional');
    expect(judge({ callers: 2 }).status).to.equal('scored');
    expect(judge({ callers: 1 }).status).to.equal('provisional');
  });
});

describe('the sums of an Orb', () => {
  const row = (more: Partial<CallerDay>): CallerDay => ({
    ...{ day: today, caller: 'a', ok: 0, fault: 0, broken: 0, fast: 0, slow: 0 },
    ...more,
  });

  it('count a day with a good run as active, and none with faults alone', () => {
    const faults = totalsOf([row({ fault: 3 })], today);
    expect(faults).to.include({ activeDays: 0, counted: 3, lastGood: undefined });
    const both = totalsOf([row({ ok: 1 }), row({ day: today - 2, fault: 1 }), row({ caller: 'b', ok: 1 })], today);
    expect(both).to.include({ activeDays: 1, counted: 3, lastGood: today });
  });

  it('hold the 180 days that end with the day, and nothing later', () => {
    const counted = (day: number) => totalsOf([row({ day, ok: 1 })], today).counted;
    expect([today + 1, today, today - 179, today - 180].map(counted)).to.deep.equal([0, 1, 1, 0]);
  });
});
