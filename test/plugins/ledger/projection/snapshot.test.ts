import { expect } from 'chai';
import { newOrb } from '../../../../plugins/ledger/projection/orb.ts';
import { newState, Projection } from '../../../../plugins/ledger/projection/projection.ts';
import { computeSnapshot } from '../../../../plugins/ledger/projection/snapshot.ts';
import { Summing, type Tallies } from '../../../../plugins/ledger/projection/tallies.ts';
import { dayText } from '../../../../plugins/ledger/score/day.ts';
import type { CallerDay } from '../../../../plugins/ledger/score/totals.ts';

const orbId = 'acme.tool@1.0.0';
const today = 20_000;
const row = (age: number, caller: string, ok: number): CallerDay => ({
  ...{ day: today - age, caller, ok, fault: 0, broken: 0, fast: 0, slow: 0 },
});

describe('the use of an Orb in a snapshot', () => {
  const usage = async (...rows: readonly CallerDay[]) => {
    const tallies: Tallies = {
      callerDays: (_, from, to) => rows.filter(({ day }) => day >= from && day <= to),
      minutes: () => [],
    };
    const state = newState();
    state.orbs.set(orbId, newOrb(orbId));
    const projection = new Projection(state, new Summing(), tallies);
    const { orbs } = await computeSnapshot(projection, tallies, {
      day: dayText(today),
      logs: [],
      profile: 'single-org',
    });
    const [orb] = orbs;
    return [orb?.runs_30d, orb?.callers_30d];
  };

  it('is that of 30 days, the day itself included, and of none before or after', async () => {
    expect(await usage(row(0, 'a', 1), row(29, 'b', 2))).to.deep.equal([3, 2]);
    expect(await usage(row(-1, 'a', 1), row(30, 'b', 2))).to.deep.equal([0, 0]);
  });
});
