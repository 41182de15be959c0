import { expect } from 'chai';
import { burdensOf, debtOf, type Incident, type ProviderMinutes } from '../../../../plugins/ledger/score/debt.ts';
import { incidentI } from '../generator.ts';

const dayMs = 86_400_000;
const time = (day: number, minute = 0): string => new Date(day * dayMs + minute * 60_000).toISOString();
const orb = { orb_id: 'acme.tool@1.0.0' };
const half: readonly ProviderMinutes[] = [
  { provider: 'a', n: 5, fault: 0 },
  { provider: 'b', n: 5, fault: 0 },
];
const resolved = (incident_id: string, from: string, to: string): Incident =>
  incidentI({ incident_id, state: 'resolved', starts_at: from, ends_at: to });

describe('what one incident does to an Orb', () => {
  it('is said once of each provider, however often its scope names it', () => {
    const a = { kind: 'provider', id: 'a' } as const;
    const found = burdensOf(orb, incidentI({ scope: [a, a, { kind: 'provider', id: 'b' }] }), 59, () => half);
    expect(found.map(({ subject, share }) => [subject, share])).to.deep.equal([
      ['provider:a', { n: 5, d: 10 }],
      ['provider:b', { n: 5, d: 10 }],
    ]);
  });

  it('takes no share of an Orb that did not run', () => {
    const scope = [{ kind: 'provider', id: 'a' }] as const;
    const found = burdensOf(orb, incidentI({ scope }), 59, () => []);
    expect(found.map(({ share, debt_milli }) => [share, debt_milli])).to.deep.equal([[{ n: 0, d: 1 }, 0]]);
  });

  it('is asked of the minutes that are kept: of the 180 days that end with the day, from its begin to its end', () => {
    const asked: (readonly number[])[] = [];
    const window = (incident: Incident, day: number) =>
      burdensOf(orb, incident, day, (from, to) => (asked.push([from, to]), half)).map(({ from, to }) => [from, to])[0];
    expect(window(incidentI({ starts_at: time(59, 30) }), 60)).to.deep.equal([59 * 1440 + 30, 61 * 1440 - 1]);
    expect(window(incidentI({ starts_at: time(59) }), 300)).to.deep.equal([(300 - 179) * 1440, 301 * 1440 - 1]);
    expect(window(resolved('inc_2', time(59), time(60, 7)), 61)).to.deep.equal([59 * 1440, 60 * 1440 + 7]);
    expect(asked).to.have.length(3);
  });

  it('costs once with another of the same subject when one ends in the minute in which the other begins', () => {
    const cost = (begin: string): number => {
      const incidents = [resolved('inc_1', time(59), time(59, 60)), resolved('inc_2', begin, time(59, 120))];
      return debtOf(orb, incidents, 59, () => half).debt_milli;
    };
    const both = cost(time(59, 61));
    expect(both).to.be.greaterThan(0);
    expect(cost(time(59, 60)) * 2).to.equal(both);
    // The later one costs more, so it is the earlier one that is left out.
    const mild = (end: string): Incident => ({ ...resolved('inc_1', time(59), end), severity: 'high' });
    const all = (end: string): number =>
      debtOf(orb, [mild(end), resolved('inc_2', time(59, 60), time(59, 120))], 59, () => half).debt_milli;
    expect(all(time(59, 60)) * 2).to.equal(both);
    expect(all(time(59, 59))).to.be.greaterThan(all(time(59, 60)));
  });
});
