import { expect } from 'chai';
import { Judge } from '../../../../plugins/ledger/projection/judge.ts';
import { newOrb } from '../../../../plugins/ledger/projection/orb.ts';
import type { CallerDay } from '../../../../plugins/ledger/score/totals.ts';

const day = 1000;

/** Names the version from which one of a name inherits; `runs`: those that have counted runs, by version. */
function parentOf(version: string, runs: Readonly<Record<string, number>>): string | undefined {
  const ids = [...Object.keys(runs), version].map((one) => `acme.tool@${one}`);
  const row = (at: number): CallerDay => ({ day: at, caller: 'c', ok: 1, fault: 0, broken: 0, fast: 0, slow: 0 });
  const judge = new Judge({
    orbs: new Map(ids.map((id) => [id, newOrb(id)])),
    incidents: new Map(),
    tallies: {
      callerDays: (id) => {
        const age = runs[id.slice(id.indexOf('@') + 1)];
        return age === undefined || age < 0 ? [] : [row(day - age)];
      },
      minutes: () => [],
    },
    ...{ profile: 'single-org', day },
  });
  return judge.judge(newOrb(`acme.tool@${version}`)).parent?.split('@')[1];
}

describe('the version from which another inherits', () => {
  it('is the next lower one with a counted run in the window', () => {
    expect(parentOf('1.10.0', { '1.2.0': 0, '1.9.0': 0, '2.0.0': 0 })).to.equal('1.9.0');
    expect(parentOf('1.10.0', { '1.2.0': 0, '1.9.0': -1 })).to.equal('1.2.0');
    expect(parentOf('1.10.0', { '1.2.0': 179, '1.9.0': 180 })).to.equal('1.2.0');
    expect(parentOf('1.0.0', { '1.0.0-rc.1': 0 })).to.equal('1.0.0-rc.1');
  });

  it('is never a higher one, nor one that differs in build metadata alone', () => {
    expect(parentOf('1.0.0', { '1.0.1': 0, '2.0.0': 0 })).to.equal(undefined);
    expect(parentOf('1.0.0+b', { '1.0.0+a': 0, '1.0.0+c': 0, '0.9.0': 0 })).to.equal('0.9.0');
  });
});
