import { expect } from 'chai';
import { noDebt } from '../../../../plugins/ledger/score/debt.ts';
import type { Evaluation } from '../../../../plugins/ledger/score/evaluate.ts';
import type { Judged } from '../../../../plugins/ledger/tier/gates.ts';
import { ended, newMachine, step, type Machine } from '../../../../plugins/ledger/tier/machine.ts';

const judged = (score_milli: number): Judged => ({
  evaluation: {
    ...{ status: 'scored', score_milli, n_eff_milli: 50_000, nc_milli: 3_000, r_micro: 940_000, debt_milli: 0 },
    ...{ active_days: 5, callers: 3, values_milli: [], points_milli: [], counted: 50 },
  } satisfies Evaluation,
  debt: noDebt,
  signed: true,
  profile: 'single-org',
});
const [good, bad] = [judged(70_000), judged(10_000)];
/** Plays snapshots from a day on: of a good or a bad judgement, or suspended. */
const play = (from: Machine, day: number, snapshots: readonly (Judged | 'suspended')[]): Machine =>
  snapshots.reduce<Machine>(
    (machine, one, at) =>
      one === 'suspended'
        ? step(machine, good, ['operator'], day + at).machine
        : step(machine, one, [], day + at).machine,
    from,
  );

describe('the memory of the machine of tiers', () => {
  it('keeps the day on which a tier was first reached, however often it is reached again', () => {
    const first = play(newMachine, 0, [good]);
    expect(first).to.deep.include({ tier: 'bronze', since: '1970-01-01', firsts: { bronze: '1970-01-01' } });
    const again = play(first, 1, [bad, bad, bad, good]);
    expect(again).to.deep.include({ tier: 'bronze', since: '1970-01-05', firsts: { bronze: '1970-01-01' } });
  });

  it('forgets the failures before a suspension', () => {
    const bronze = play(newMachine, 0, [good]);
    expect(play(bronze, 1, [bad, bad, bad]).tier).to.equal('none');
    expect(play(bronze, 1, [bad, bad, 'suspended', bad, bad]).tier).to.equal('bronze');
    expect(play(bronze, 1, [bad, bad, 'suspended', bad, bad, bad]).tier).to.equal('none');
  });

  it('loses no tier in a long suspension when there is none', () => {
    let machine = newMachine;
    for (let day = 0; day < 20; day += 1) {
      const next = step(machine, good, ['operator'], day);
      expect(next.events).to.deep.equal([]);
      machine = next.machine;
    }
    expect(machine).to.include({ tier: 'none', lost: false, suspended: 20 });
  });

  it('ends once: a removal after a yank tells nothing more', () => {
    const yanked = ended(play(newMachine, 0, [good]), '1970-01-02', 'yanked');
    expect(yanked.events.map(({ from, to, rules }) => [from, to, rules])).to.deep.equal([
      ['bronze', 'none', ['yanked']],
    ]);
    expect(ended(yanked.machine, '1970-01-03', 'removed')).to.deep.equal({ machine: yanked.machine, events: [] });
  });
});
