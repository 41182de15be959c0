import { expect } from 'chai';
import { burdensOf, debtOf, isOpen, names, type ProviderMinutes } from '../../../../plugins/ledger/score/debt.ts';
import { incidentI } from '../generator.ts';
import type { Incident } from '../../../../plugins/ledger/fact/incident.ts';

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

describe('an incident on a day', () => {
  it('is open from the day of its begin to the day before its end', () => {
    const open = (incident: Incident) => [58, 59, 60, 61].map((day) => isOpen(incident, day));
    expect(open(incidentI({ starts_at: time(59, 30) }))).to.deep.equal([false, true, true, true]);
    expect(open(resolved('inc_1', time(59, 30), time(61, 1)))).to.deep.equal([false, true, true, false]);
    expect(open(incidentI({ state: 'resolved' })), 'no end is known').to.deep.equal([false, true, true, true]);
    expect(open(incidentI({ ends_at: time(60) })), 'not resolved').to.deep.equal([false, true, true, true]);
    expect(open(incidentI({ retracted: true }))).to.deep.equal([false, false, false, false]);
  });

  it('names an Orb by its id and as an Orb', () => {
    const scoped = (kind: 'orb' | 'provider', id: string) => names(incidentI({ scope: [{ kind, id }] }), orb.orb_id);
    expect([scoped('orb', orb.orb_id), scoped('orb', 'other'), scoped('provider', orb.orb_id)]).to.deep.equal([
      ...[true, false, false],
    ]);
  });
});

describe('the burdens of an Orb', () => {
  const burdens = (incident: Incident, day = 59, parent?: string) =>
    burdensOf({ ...orb, ...(parent === undefined ? {} : { parent }) }, incident, day, () => half);
  const of = (id: string, more: Partial<Incident> = {}) => incidentI({ scope: [{ kind: 'orb', id }], ...more });
  const delivery = (at: number, auth_strength: Incident['deliveries'][number]['auth_strength']) => ({
    ...{ delivery_id: `d${at}`, source_id: `s${at}`, auth_strength },
  });

  it('are none before it begins, when it was retracted, and when it is forgotten', () => {
    expect(burdens(of(orb.orb_id))).to.have.length(1);
    expect(burdens(of(orb.orb_id), 58)).to.deep.equal([]);
    expect(burdens(of(orb.orb_id, { retracted: true }))).to.deep.equal([]);
    const over = of(orb.orb_id, { state: 'resolved', ends_at: time(59, 9) });
    expect([burdens(over, 59 + 97).length, burdens(over, 59 + 98).length]).to.deep.equal([1, 0]);
  });

  it('are whole while it is open, though an end is known', () => {
    const [first] = burdens(of(orb.orb_id));
    for (const [state, end] of [
      ['open', time(58)],
      ['resolved', time(60, 1)],
    ] as const) {
      const [found] = burdens(of(orb.orb_id, { state, ends_at: end }));
      expect(found, state).to.include({ open: true, to: first?.to, debt_milli: first?.debt_milli });
    }
  });

  it('are of the Orb itself, whole, though a provider is named beside it', () => {
    const both = incidentI({
      scope: [
        { kind: 'orb', id: orb.orb_id },
        { kind: 'provider', id: 'a' },
        { kind: 'component', id: 'b' },
      ],
    });
    expect(burdens(both).map(({ subject, share }) => [subject, share])).to.deep.equal([
      [`orb:${orb.orb_id}`, { n: 1, d: 1 }],
    ]);
    const component = incidentI({ scope: [{ kind: 'component', id: 'a' }] });
    expect(burdens(component)).to.deep.equal([]);
  });

  it('come from the version before while its incident is open', () => {
    expect(burdens(of('parent'), 59, 'parent').map(({ subject, open }) => [subject, open])).to.deep.equal([
      [`orb:${orb.orb_id}`, true],
    ]);
    expect(burdens(of('parent'), 59)).to.deep.equal([]);
    expect(burdens(of('other'), 59, 'parent')).to.deep.equal([]);
    expect(burdens(of('parent', { state: 'resolved', ends_at: time(59) }), 59, 'parent')).to.deep.equal([]);
  });

  it('have the authority of the strongest source', () => {
    const authority = (more: Partial<Incident>) => burdens(of(orb.orb_id, more))[0]?.authority;
    expect(authority({ deliveries: [delivery(1, 'none'), delivery(2, 'strong')] })).to.equal(10);
    expect(authority({ deliveries: [delivery(1, 'none'), delivery(2, 'shared_secret')] })).to.equal(6);
    expect(authority({ deliveries: [delivery(1, 'none'), delivery(2, 'url_token')] })).to.equal(0);
    expect(authority({ deliveries: [] })).to.equal(0);
    expect(authority({ deliveries: [], own: true })).to.equal(10);
  });

  it('double when two sources that count tell of it, or runs failed meanwhile', () => {
    const cost = (more: Partial<Incident>, fault = 0) =>
      burdensOf(orb, of(orb.orb_id, more), 59, () => [{ provider: 'a', n: 5, fault }])[0]?.debt_milli;
    const one = cost({ deliveries: [delivery(1, 'strong')] }) ?? 0;
    expect(one).to.be.greaterThan(0);
    expect(cost({ deliveries: [delivery(1, 'strong'), delivery(2, 'shared_secret')] })).to.equal(2 * one);
    expect(cost({ deliveries: [delivery(1, 'strong')], own: true })).to.equal(2 * one);
    expect(cost({ deliveries: [delivery(1, 'strong')] }, 1)).to.equal(2 * one);
    expect(cost({ deliveries: [delivery(1, 'strong'), delivery(2, 'url_token')] })).to.equal(one);
  });

  it('count the earlier of two that cost the same, then the one of the lower id', () => {
    // A third overlaps one of them alone, so that it tells which of the two was taken.
    const sum = (...incidents: readonly Incident[]) => debtOf(orb, incidents, 59, () => half).debt_milli;
    const [early, late] = [resolved('inc_9', time(59), time(59, 60)), resolved('inc_1', time(59, 30), time(59, 120))];
    const third: Incident = { ...resolved('inc_5', time(59, 90), time(59, 150)), severity: 'high' };
    const one = sum(early);
    expect(sum(early, late)).to.equal(one);
    for (const order of [
      [early, late, third],
      [late, early, third],
    ])
      expect(sum(...order)).to.equal(one + sum(third));
    const [long, short] = [resolved('inc_1', time(59), time(59, 120)), resolved('inc_2', time(59), time(59, 60))];
    for (const order of [
      [long, short, third],
      [short, long, third],
    ])
      expect(sum(...order)).to.equal(one);
  });

  it('of another subject do not replace it, whenever they were', () => {
    const a = incidentI({ scope: [{ kind: 'provider', id: 'a' }] });
    const b = incidentI({ incident_id: 'inc_2', scope: [{ kind: 'provider', id: 'b' }] });
    const sum = (...incidents: readonly Incident[]) => debtOf(orb, incidents, 59, () => half).debt_milli;
    expect(sum(a, b)).to.equal(sum(a) + sum(b));
  });

  it('of integrity cost nothing and are told while it is open and names the Orb', () => {
    const integrity = (more: Partial<Incident>) =>
      debtOf(orb, [of(orb.orb_id, { integrity: true, ...more })], 59, () => half);
    expect(integrity({})).to.deep.equal({ debt_milli: 0, integrity: true, burdens: [] });
    expect(integrity({ scope: [{ kind: 'orb', id: 'other' }] }).integrity).to.equal(false);
    expect(integrity({ state: 'resolved', ends_at: time(59) }).integrity).to.equal(false);
  });
});
