import { expect } from 'chai';
import { noDebt } from '../../../../plugins/ledger/score/debt.ts';
import type { Evaluation } from '../../../../plugins/ledger/score/evaluate.ts';
import { unmetOf, type Judged } from '../../../../plugins/ledger/tier/gates.ts';

const nothing: Evaluation = {
  ...{ status: 'unscored', n_eff_milli: 0, nc_milli: 0, r_micro: 0, debt_milli: 0, active_days: 0, callers: 0 },
  ...{ values_milli: [], points_milli: [], counted: 0 },
};
const unmet = (tier: 'bronze' | 'silver', more: Partial<Evaluation>, judged: Partial<Judged> = {}) =>
  unmetOf(
    { evaluation: { ...nothing, ...more }, debt: noDebt, signed: true, profile: 'multi-tenant', ...judged },
    tier,
  ).map(({ gate, needed, present }) => [gate, needed, present]);

describe('the unmet gates of a tier', () => {
  it('tell what is needed and what there is, in whole units', () => {
    const evidence = { score_milli: 74_999, n_eff_milli: 99_500, nc_milli: 2250, active_days: 13, r_micro: 949_999 };
    expect(unmet('silver', evidence)).to.deep.equal([
      ['score', '75', '74.999'],
      ['effective_runs', '100', '99.5'],
      ['effective_callers', '2.5', '2.25'],
      ['active_days', '14', '13'],
      ['reliability', '0.95', '0.949999'],
    ]);
  });

  it('tell that there is no score, and ask of bronze no reliability', () => {
    expect(unmet('bronze', {}, { signed: false, debt: { ...noDebt, integrity: true } })).to.deep.equal([
      ['score', '60', 'none'],
      ['effective_runs', '30', '0'],
      ['effective_callers', '2', '0'],
      ['active_days', '3', '0'],
      ['status', 'scored', 'unscored'],
      ['manifest_signed', 'true', 'false'],
      ['integrity', 'no open incident', 'open'],
    ]);
  });
});
