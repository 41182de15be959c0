import { expect } from 'chai';
import { noDebt } from '../../../../plugins/ledger/score/debt.ts';
import { evaluate } from '../../../../plugins/ledger/score/evaluate.ts';
import { totalsOf, type CallerDay, type Totals } from '../../../../plugins/ledger/score/totals.ts';
import { componentNames } from '../../../../plugins/ledger/shapes.ts';

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

describe('what a judgement tells', () => {
  it('is no score without a run, and a provisional one by those of the version before alone', () => {
    const own = totalsOf([], today);
    const given = { profile: 'single-org', day: today, own, debt: noDebt } as const;
    const alone = evaluate(given);
    expect(alone.status).to.equal('unscored');
    for (const name of ['score_milli', 'limited_by', 'last_good']) expect(alone).to.not.have.property(name);
    expect(evaluate({ ...given, parent: totals({ attempts: 0 }) })).to.deep.equal(alone);
    const heir = evaluate({ ...given, parent: totals() });
    expect(heir.status).to.equal('provisional');
    expect(heir.score_milli).to.be.greaterThan(0);
  });

  it('is the last day of a good run', () => {
    expect(judge({ lastGood: 7 }).last_good).to.equal(7);
    const { lastGood: _, ...never } = totals();
    const none = evaluate({ profile: 'single-org', day: today, own: { ...never, lastGood: undefined }, debt: noDebt });
    expect(none).to.not.have.property('last_good');
    expect(none.values_milli[componentNames.indexOf('freshness')]).to.equal(0);
  });

  it('is what limits the score: the ceiling below all others, or nothing', () => {
    const perfect = { attempts: 1e9, good: 1e9, delivered: 1e9, fast: 1e9, timed: 1e9, nc: 8, activeDays: 60 };
    const old = judge({ ...perfect, lastGood: today - 60 });
    expect(old).to.include({ score_milli: 95_000 }).and.to.not.have.property('limited_by');
    const judged = (debt: Partial<typeof noDebt>) =>
      evaluate({ profile: 'single-org', day: today, own: totals(perfect), debt: { ...noDebt, ...debt } });
    expect(judged({ integrity: true })).to.include({ score_milli: 20_000, limited_by: 'integrity' });
    expect(judged({ debt_milli: 100_000 })).to.include({ score_milli: 30_000, limited_by: 'incidents' });
    expect(judged({ debt_milli: 50_000 })).to.include({ score_milli: 65_000, limited_by: 'incidents' });
    expect(judge({ ...perfect, good: 0 })).to.include({ limited_by: 'reliability', score_milli: 40_000 });
    // Sums that no log gives: what broke is part of what failed, so the reliability limits first.
    expect(judge({ ...perfect, delivered: 1e10 })).to.include({ limited_by: 'contract', score_milli: 40_000 });
    const some = judge({ ...perfect, delivered: 1e9 / 0.95 });
    expect(some.limited_by).to.equal('contract');
    expect(some.score_milli).to.be.closeTo(70_000, 20);
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

  it('leave out what was taken back whole', () => {
    expect(totalsOf([row({})], today)).to.deep.equal(totalsOf([], today));
    expect(totalsOf([row({ ok: 2 }), row({ caller: 'b' })], today)).to.deep.equal(totalsOf([row({ ok: 2 })], today));
  });

  it('hold the 180 days that end with the day, and nothing later', () => {
    const counted = (day: number) => totalsOf([row({ day, ok: 1 })], today).counted;
    expect([today + 1, today, today - 179, today - 180].map(counted)).to.deep.equal([0, 1, 1, 0]);
  });
});
