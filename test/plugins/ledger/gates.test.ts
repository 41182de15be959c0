import { expect } from 'chai';
import type { Profile } from '../../../plugins/ledger/contract.ts';
import { noDebt, type Burden } from '../../../plugins/ledger/score/debt.ts';
import type { Evaluation } from '../../../plugins/ledger/score/evaluate.ts';
import { profiles } from '../../../plugins/ledger/score/model.ts';
import { retains, rising, rowsHeld, unmetOf, type Judged } from '../../../plugins/ledger/tier/gates.ts';
import { ended, newMachine, step, type Machine } from '../../../plugins/ledger/tier/machine.ts';
import { incidentI } from './generator.ts';

// The table of the reference, once more in plain numbers.
const table = {
  'multi-tenant': [
    [60, 30, 2, 3, 0],
    [75, 100, 2.5, 14, 0.95],
    [85, 300, 4, 30, 0.98],
    [93, 1000, 8, 90, 0.995],
  ],
  'single-org': [
    [60, 15, 1.5, 2, 0],
    [75, 50, 1.5, 7, 0.95],
    [85, 150, 2, 15, 0.98],
    [93, 500, 4, 45, 0.995],
  ],
} as const;
const fields = ['score_milli', 'n_eff_milli', 'nc_milli', 'active_days', 'r_micro'] as const;
const scales = [1000, 1000, 1000, 1, 1_000_000];

const evaluation = (values: readonly number[], more: Partial<Evaluation> = {}): Evaluation => ({
  status: 'scored',
  score_milli: values[0] ?? 0,
  n_eff_milli: values[1] ?? 0,
  nc_milli: values[2] ?? 0,
  active_days: values[3] ?? 0,
  r_micro: values[4] ?? 0,
  debt_milli: 0,
  callers: 10,
  values_milli: [],
  points_milli: [],
  counted: 0,
  ...more,
});
const exact = (profile: Profile, at: number): number[] =>
  (table[profile][at] ?? []).map((value, field) => Math.round(value * (scales[field] ?? 1)));
const judged = (profile: Profile, values: readonly number[], more: Partial<Judged> = {}): Judged => ({
  evaluation: evaluation(values),
  debt: noDebt,
  signed: true,
  profile,
  ...more,
});

for (const profile of ['multi-tenant', 'single-org'] as const)
  describe(`the gates of ${profile}`, () => {
    for (const [at, tier] of (['bronze', 'silver', 'gold'] as const).entries()) {
      it(`${tier} holds exactly at its numbers`, () => {
        expect(rowsHeld(judged(profile, exact(profile, at)))[at]).to.equal(true);
      });
      for (const [field, name] of fields.entries()) {
        if ((table[profile][at]?.[field] ?? 0) === 0) continue;
        it(`${tier} does not hold with ${name} one less`, () => {
          const values = exact(profile, at).map((value, index) => (index === field ? value - 1 : value));
          expect(rowsHeld(judged(profile, values))[at]).to.equal(false);
          expect(unmetOf(judged(profile, values), tier)).to.have.length(1);
        });
      }

      it(`${tier} is kept exactly to its loosened numbers`, () => {
        const [score = 0, runs = 0, callers = 0, days = 0, r = 0] = exact(profile, at);
        const loose = [score - 3000, runs * 0.8, callers * 0.8, 0, Math.max(0, r - 5000)];
        expect(retains(judged(profile, loose), tier)).to.equal(true);
        for (const field of [0, 1, 2, 4]) {
          if (field === 4 && r === 0) continue;
          const less = loose.map((value, index) => (index === field ? value - 1 : value));
          expect(retains(judged(profile, less), tier), fields[field]).to.equal(false);
        }
        expect(retains(judged(profile, [score, runs, callers, days, r], { signed: false }), tier)).to.equal(false);
      });
    }

    it('bronze needs a firm status, a signed manifest and whole receipts', () => {
      const values = exact(profile, 0);
      const provisional = { evaluation: evaluation(values, { status: 'provisional' }) };
      const broken = { debt: { ...noDebt, integrity: true } };
      for (const more of [provisional, { signed: false }, broken])
        expect(rowsHeld(judged(profile, values, more))).to.deep.equal([false, false, false, false]);
    });

    it('silver needs that no critical incident touches it: with a share of runs, and from somebody credible', () => {
      const burden = (n: number, authority: number, more = {}): Burden => ({
        ...{ incident: incidentI(more), subject: 'provider:a', open: true, from: 0, to: 1, debt_milli: 0 },
        ...{ share: { n, d: 10 }, authority },
      });
      const held = (one: Burden) =>
        rowsHeld(judged(profile, exact(profile, 2), { debt: { ...noDebt, burdens: [one] } })).slice(0, 3);
      expect(held(burden(1, 6))).to.deep.equal([true, false, false]);
      expect(held(burden(0, 10))).to.deep.equal([true, true, true]);
      expect(held(burden(10, 0))).to.deep.equal([true, true, true]);
      expect(held(burden(10, 10, { severity: 'high' }))).to.deep.equal([true, true, true]);
      expect(held({ ...burden(10, 10), open: false })).to.deep.equal([true, true, true]);
    });

    it('platinum is not reachable before there is an external witness', () => {
      expect(rowsHeld(judged(profile, exact(profile, 3)))).to.deep.equal([true, true, true, false]);
      expect(unmetOf(judged(profile, exact(profile, 3)), 'platinum').map(({ gate }) => gate)).to.deep.equal([
        'witness',
      ]);
    });

    it('the numbers are those of the scoring document', () => {
      for (const [at, gates] of profiles[profile].gates.entries())
        expect(fields.map((name) => gates[name])).to.deep.equal(exact(profile, at));
      expect(rising).to.have.length(4);
    });
  });

describe('the machine of tiers', () => {
  const good = judged('multi-tenant', exact('multi-tenant', 2));
  const bad = judged('multi-tenant', [0, 0, 0, 0, 0]);
  const play = (from: Machine, days: readonly (readonly [Judged, (readonly string[])?])[]) => {
    let machine = from;
    const told: string[] = [];
    for (const [day, [state, causes = []]] of days.entries()) {
      const next = step(machine, state, causes, day);
      machine = next.machine;
      told.push(...next.events.map(({ change, to }) => `${day} ${change} ${to}`));
    }
    return { machine, told };
  };
  const days = (n: number, state: Judged, causes: readonly string[] = []) =>
    Array.from({ length: n }, () => [state, causes] as const);

  it('promotes one step at a time: bronze at once, the next ones after seven snapshots in a row', () => {
    expect(play(newMachine, days(9, good)).told).to.deep.equal([
      '0 promoted bronze',
      '6 promoted silver',
      '7 promoted gold',
    ]);
  });

  it('begins to count again when the row breaks', () => {
    const { told } = play(newMachine, [...days(6, good), ...days(1, bad), ...days(7, good)]);
    expect(told).to.deep.equal(['0 promoted bronze', '13 promoted silver']);
  });

  const gold = { ...newMachine, tier: 'gold' as const };

  it('demotes at the third failure in a row, to the highest tier that is retained', () => {
    expect(play(gold, days(2, bad)).told).to.deep.equal([]);
    expect(play(gold, [...days(2, bad), ...days(1, good), ...days(2, bad)]).told).to.deep.equal([]);
    expect(play(gold, days(3, bad)).told).to.deep.equal(['2 demoted none']);
    const fair = judged('multi-tenant', exact('multi-tenant', 1));
    expect(play(gold, days(3, fair)).told).to.deep.equal(['2 demoted silver']);
  });

  it('gives the tier back after a suspension of thirteen snapshots, not of fourteen', () => {
    const short = play(gold, [...days(13, good, ['operator']), ...days(1, good)]);
    expect([short.machine.tier, short.machine.suspended, short.told]).to.deep.equal(['gold', 0, []]);
    const long = play(gold, days(14, good, ['operator']));
    expect([long.machine.tier, long.told]).to.deep.equal(['none', ['13 lost none']]);
  });

  it('yanked is none for good', () => {
    const { machine, events } = ended(gold, '2026-01-01', 'yanked');
    expect(events.map(({ change, to, rules }) => [change, to, rules])).to.deep.equal([['ended', 'none', ['yanked']]]);
    expect(play(machine, days(30, good))).to.deep.equal({ machine, told: [] });
  });

  it('a suspension, even one between two snapshots, ends all streaks', () => {
    const six = play(newMachine, days(6, good)).machine;
    expect(step(six, good, [], 6).machine.tier).to.equal('silver');
    const interrupted = step({ ...six, interrupted: true }, good, [], 6).machine;
    expect([interrupted.tier, interrupted.streaks]).to.deep.equal(['bronze', [1, 1, 1, 0]]);
    const held = play(six, [...days(1, good, ['operator']), ...days(6, good)]).machine;
    expect(held.tier).to.equal('bronze');
  });
});
