import { expect } from 'chai';
import { noDebt } from '../../../plugins/ledger/score/debt.ts';
import { evaluate } from '../../../plugins/ledger/score/evaluate.ts';
import { totalsOf, type CallerDay } from '../../../plugins/ledger/score/totals.ts';

const cases = Number(process.env['LEDGER_CASES'] ?? 250);
const day = 100;

describe('one more run', () => {
  it('of a known caller: a fault never raises the score, a fast success never lowers it, by more than 0.1', () => {
    const random = seeded(20_261_121);
    let compared = 0;
    for (let at = 0; at < cases; at++) {
      const rows = history(random);
      const last = rows.findLast((row) => row.day === day);
      if (last === undefined) continue;
      const more = (change: Partial<CallerDay>) =>
        judge(rows.map((row) => (row === last ? { ...row, ...change } : row)));
      const before = judge(rows);
      const faulty = more({ fault: last.fault + 1 });
      const good = more({ ok: last.ok + 1, fast: last.fast + 1 });
      if (before.nc >= 8 && faulty.nc >= 8) expect(faulty.score - before.score).to.be.at.most(100);
      if (before.nc >= 8 && good.nc >= 8) expect(before.score - good.score).to.be.at.most(100);
      if (before.nc >= 8) compared += 1;
    }
    expect(compared).to.be.greaterThan(cases / 2);
  });

  it('outside the window of 180 days counts nowhere, inside it does to the last day', () => {
    const row = { caller: 'a', ok: 3, fault: 1, broken: 0, fast: 3, slow: 0 };
    const nothing = totalsOf([], day);
    for (const at of [day + 1, day - 180]) expect(totalsOf([{ ...row, day: at }], day)).to.deep.equal(nothing);
    expect(totalsOf([{ ...row, day: day - 179 }], day)).to.include({ counted: 4, callers: 1, activeDays: 1 });
  });

  it('the order of the rows does not matter', () => {
    const random = seeded(7);
    for (let at = 0; at < cases / 10; at++) {
      const rows = history(random);
      const shuffled = rows.map((row) => ({ row, key: random() })).sort((a, b) => a.key - b.key);
      expect(
        totalsOf(
          shuffled.map(({ row }) => row),
          day,
        ),
      ).to.deep.equal(totalsOf(rows, day));
    }
  });
});

function judge(rows: readonly CallerDay[]): { readonly score: number; readonly nc: number } {
  const own = totalsOf(rows, day);
  return { score: evaluate({ profile: 'multi-tenant', day, own, debt: noDebt }).score_milli ?? 0, nc: own.nc };
}

function history(random: () => number): CallerDay[] {
  const callers = 9 + Math.floor(random() * 12);
  const days = 1 + Math.floor(random() * 60);
  const faulty = random() < 0.5 ? 0.02 : 0.3 * random();
  const rows: CallerDay[] = [];
  for (let age = days - 1; age >= 0; age--)
    for (let caller = 0; caller < callers; caller++) {
      const n = 1 + Math.floor(random() * 40);
      const fault = Math.floor(n * faulty * random());
      rows.push({ day: day - age, caller: String(caller), ok: n - fault, fault, broken: 0, fast: n - fault, slow: 0 });
    }
  return rows;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
