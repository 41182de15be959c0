import { expect } from 'chai';
import { Judge } from '../../../../plugins/ledger/projection/judge.ts';
import { newOrb, type OrbState } from '../../../../plugins/ledger/projection/orb.ts';
import type { CallerDay } from '../../../../plugins/ledger/score/totals.ts';
import { incidentI } from '../generator.ts';
import type { Incident } from '../../../../plugins/ledger/fact/incident.ts';

const day = 1000;

/** Names the version from which one of a name inherits; `runs`: those that have counted runs, by version. */
async function parentOf(version: string, runs: Readonly<Record<string, number>>): Promise<string | undefined> {
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
      minutesOf: () => [],
    },
    ...{ profile: 'single-org', day },
  });
  return (await judge.judge(newOrb(`acme.tool@${version}`))).parent?.split('@')[1];
}

describe('the version from which another inherits', () => {
  it('is the next lower one with a counted run in the window', async () => {
    expect(await parentOf('1.10.0', { '1.2.0': 0, '1.9.0': 0, '2.0.0': 0 })).to.equal('1.9.0');
    expect(await parentOf('1.10.0', { '1.2.0': 0, '1.9.0': -1 })).to.equal('1.2.0');
    expect(await parentOf('1.10.0', { '1.2.0': 179, '1.9.0': 180 })).to.equal('1.2.0');
    expect(await parentOf('1.0.0', { '1.0.0-rc.1': 0 })).to.equal('1.0.0-rc.1');
    expect(await parentOf('2.0.0', { '1.9.0': 0, '1.10.0': 0 }), 'by number').to.equal('1.10.0');
  });

  it('is never a higher one, nor one that differs in build metadata alone', async () => {
    expect(await parentOf('1.0.0', { '1.0.1': 0, '2.0.0': 0 })).to.equal(undefined);
    expect(await parentOf('1.0.0+b', { '1.0.0+a': 0, '1.0.0+c': 0, '0.9.0': 0 })).to.equal('0.9.0');
  });

  it('is one and the same of two that differ in build metadata alone, in whatever order they came', async () => {
    expect(await parentOf('2.0.0', { '1.0.0+a': 0, '1.0.0+b': 0 })).to.equal('1.0.0+b');
    expect(await parentOf('2.0.0', { '1.0.0+b': 0, '1.0.0+a': 0 })).to.equal('1.0.0+b');
  });

  it('counts with its runs and its open incidents', async () => {
    const [parent, child] = [newOrb('acme.tool@1.0.0'), newOrb('acme.tool@1.1.0')];
    const rows = Array.from({ length: 100 }, (_, at): CallerDay => {
      return { day: day - (at % 10), caller: `c${at % 10}`, ok: 20, fault: 0, broken: 0, fast: 20, slow: 0 };
    });
    const judge = (orbs: readonly OrbState[], incidents: readonly Incident[]) =>
      new Judge({
        orbs: new Map(orbs.map((orb) => [orb.orb_id, orb])),
        incidents: new Map(incidents.map((one) => [one.incident_id, one])),
        tallies: { callerDays: (id) => (id === parent.orb_id ? rows : []), minutesOf: () => [] },
        ...{ profile: 'single-org', day },
      }).judge(child);
    const of = incidentI({ scope: [{ kind: 'orb', id: parent.orb_id }] });
    const alone = await judge([child], [of]);
    expect(alone).to.not.have.property('parent');
    expect([alone.evaluation.status, alone.debt.burdens.length]).to.deep.equal(['unscored', 0]);
    const both = await judge([parent, child], [of]);
    expect([both.evaluation.status, both.debt.burdens.length]).to.deep.equal(['provisional', 1]);
    expect(both.own.attempts).to.equal(0);
  });
});
