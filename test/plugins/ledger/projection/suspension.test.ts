import { expect } from 'chai';
import { newOrb, type OrbState } from '../../../../plugins/ledger/projection/orb.ts';
import { causesOf, criticalOf, recheck, turned } from '../../../../plugins/ledger/projection/suspension.ts';
import { burdensOf, type ProviderMinutes } from '../../../../plugins/ledger/score/debt.ts';
import { newMachine } from '../../../../plugins/ledger/tier/machine.ts';
import { incidentI } from '../generator.ts';
import type { Incident } from '../../../../plugins/ledger/fact/incident.ts';

const day = 60;
const time = (at: number): string => new Date(at * 86_400_000).toISOString();
const orb: OrbState = { ...newOrb('acme.tool@1.0.0'), machine: { ...newMachine, tier: 'gold' } };
const scope = [{ kind: 'orb', id: orb.orb_id }] as const;
const minutes = (a: number, b: number): readonly ProviderMinutes[] => [
  { provider: 'a', n: a, fault: 0 },
  { provider: 'b', n: b, fault: 0 },
];
const counts = (a: number, b: number) => () => minutes(a, b);

describe('why an Orb is suspended', () => {
  const causes = (incidents: readonly Incident[], more: Partial<OrbState> = {}, revoked = false) =>
    causesOf({ ...orb, ...more }, new Map(incidents.map((one) => [one.incident_id, one])), day, revoked);

  it('is an integrity incident that names it, while that is open and no longer', () => {
    const integrity = incidentI({ integrity: true, scope });
    expect(causes([integrity])).to.deep.equal(['integrity_incident']);
    const over = { ...integrity, state: 'resolved', ends_at: time(day) } as const;
    expect(causes([over])).to.deep.equal([]);
    expect(causes([{ ...integrity, retracted: true }])).to.deep.equal([]);
    expect(causes([{ ...integrity, scope: [{ kind: 'orb', id: 'acme.tool@2.0.0' }] }])).to.deep.equal([]);
    expect(causes([{ ...integrity, integrity: false }])).to.deep.equal([]);
  });

  it('is all that holds, in one order', () => {
    const all = causes([incidentI({ integrity: true, scope })], { suspended: true, critical: ['inc_2'] }, true);
    expect(all).to.deep.equal(['operator', 'integrity_incident', 'critical_incident', 'namespace_revoked']);
    expect(causes([])).to.deep.equal([]);
  });

  it('is a critical incident that takes half of its runs or more, at gold', () => {
    const taken = (a: number, b: number, of: OrbState = orb) => recheck(of, incidentI(), day, counts(a, b));
    expect(taken(5, 5)).to.deep.equal(['inc_1']);
    expect(taken(4, 5)).to.deep.equal([]);
    expect(taken(5, 5, { ...orb, machine: { ...newMachine, tier: 'silver' } })).to.deep.equal([]);
    const burdens = burdensOf(orb, incidentI(), day, () => minutes(5, 5));
    expect(criticalOf(orb, { burdens })).to.deep.equal(['inc_1']);
    const mild = burdensOf(orb, incidentI({ severity: 'high' }), day, () => minutes(5, 5));
    expect(criticalOf(orb, { burdens: mild }), 'not critical').to.deep.equal([]);
    expect(criticalOf({ ...orb, machine: { ...newMachine, tier: 'silver' } }, { burdens })).to.deep.equal([]);
  });

  it('is no critical one when the incident is of integrity, which is a cause of its own', () => {
    const before = { ...orb, critical: ['inc_0', 'inc_1'] };
    expect(recheck(before, incidentI({ integrity: true, scope }), day, counts(5, 5))).to.deep.equal(['inc_0']);
    expect(recheck(before, incidentI(), day, counts(1, 9))).to.deep.equal(['inc_0']);
  });
});

describe('the begin and the end of a suspension', () => {
  const told = (before: readonly string[], now: readonly string[]) =>
    turned({ ...orb, causes: before }, now, day, 'auto').map(({ change, from, to, rules }) => [
      change,
      from,
      to,
      rules,
    ]);

  it('are told once, with the causes that came or went', () => {
    expect(told([], ['operator'])).to.deep.equal([['suspended', 'gold', 'none', ['operator']]]);
    expect(told(['operator'], [])).to.deep.equal([['restored', 'none', 'gold', ['operator']]]);
    expect(turned(orb, ['operator'], day, 'auto')[0]).to.include({ day: '1970-03-02', actor: 'auto' });
  });

  it('are not told while it is suspended, by whatever causes, nor while it is not', () => {
    expect(told([], [])).to.deep.equal([]);
    expect(told(['operator'], ['operator'])).to.deep.equal([]);
    expect(told(['operator'], ['integrity_incident', 'namespace_revoked'])).to.deep.equal([]);
  });
});
