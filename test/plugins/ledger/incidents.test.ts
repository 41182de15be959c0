import { expect } from 'chai';
import type { IncidentLine } from '../../../plugins/ledger/fact/line.ts';
import { mergeIncident } from '../../../plugins/ledger/projection/incidents.ts';
import { debtOf } from '../../../plugins/ledger/score/debt.ts';
import { count, generate, incidentI } from './generator.ts';
import type { Incident } from '../../../plugins/ledger/fact/incident.ts';

const day = 59;
const time = (at: number): string => new Date(at * 86_400_000).toISOString();
const counted = count(generate(60, 10, 4));
const debt = (incidents: readonly Incident[], on = day, minutes = counted.minutes, parent?: string) =>
  debtOf({ orb_id: 'orb', ...(parent === undefined ? {} : { parent }) }, incidents, on, minutes).debt_milli;
const delivery = (id: string, source_id: string, auth_strength: 'strong' | 'shared_secret' | 'url_token' | 'none') => ({
  delivery_id: id,
  source_id,
  auth_strength,
});
const opened: IncidentLine = {
  ...{ kind: 'incident', origin: 'o', index: 0, receipt_id: 'rec_1', signed_by: 'k', at: time(59) },
  ...{ incident_id: 'inc_1', change: 'opened', change_number: 1, state: 'open', severity: 'critical' },
  scope: [{ kind: 'provider', id: 'a' }],
  starts_at: time(59),
  deliveries: [delivery('d1', 's1', 'strong')],
};
const changed: IncidentLine = {
  ...opened,
  change: 'changed',
  change_number: 2,
  severity: 'high',
  deliveries: [delivery('d2', 's2', 'shared_secret')],
};
const merged = (...lines: readonly IncidentLine[]): Incident => {
  const all = lines.reduce<Incident | undefined>((known, line) => mergeIncident(known, line), undefined);
  if (all === undefined) throw new Error('no line');
  return all;
};

describe('the debt of incidents', () => {
  it('is the same whatever the order of the entries, and when they come twice', () => {
    const orders = [
      [opened, changed],
      [changed, opened],
      [opened, changed, opened, changed],
      [changed, changed, opened],
    ];
    for (const order of orders) {
      const { deliveries, ...incident } = merged(...order);
      expect(debt([merged(...order)])).to.equal(20_000);
      expect(incident).to.include({ severity: 'high', change_number: 2, own: false, integrity: false });
      expect(deliveries.map(({ delivery_id }) => delivery_id)).to.have.members(['d1', 'd2']);
    }
  });

  it('is taken back exactly by a retraction', () => {
    const retracted: IncidentLine = { ...changed, change: 'retracted', change_number: 3, principal: 'prn_1' };
    expect(debt([merged(opened, retracted)])).to.equal(0);
    expect(merged(retracted, opened)).to.include({ retracted: true, closed_by_person: true });
  });

  const rows: readonly { readonly name: string; readonly incident: Partial<Incident>; readonly want: number }[] = [
    { name: 'two strong sources', incident: {}, want: 40_000 },
    { name: 'one strong source', incident: { deliveries: [delivery('d', 's', 'strong')] }, want: 20_000 },
    {
      name: 'one source twice is one',
      incident: { deliveries: [delivery('d', 's', 'strong'), delivery('e', 's', 'strong')] },
      want: 20_000,
    },
    { name: 'a shared secret', incident: { deliveries: [delivery('d', 's', 'shared_secret')] }, want: 12_000 },
    { name: 'a token in the address', incident: { deliveries: [delivery('d', 's', 'url_token')] }, want: 0 },
    {
      name: 'a weak one beside a strong one adds nothing',
      incident: { deliveries: [delivery('d', 's', 'strong'), delivery('e', 't', 'none')] },
      want: 20_000,
    },
    { name: 'an own measurement', incident: { deliveries: [], own: true }, want: 20_000 },
    {
      name: 'an own measurement and a source',
      incident: { deliveries: [delivery('d', 's', 'shared_secret')], own: true },
      want: 40_000,
    },
    { name: 'high', incident: { severity: 'high' }, want: 20_000 },
    { name: 'a warning', incident: { severity: 'warning' }, want: 8000 },
    { name: 'an information', incident: { severity: 'info' }, want: 0 },
    { name: 'the Orb itself', incident: { scope: [{ kind: 'orb', id: 'orb' }] }, want: 40_000 },
    { name: 'another Orb', incident: { scope: [{ kind: 'orb', id: 'other' }] }, want: 0 },
    { name: 'a component', incident: { scope: [{ kind: 'component', id: 'a' }] }, want: 0 },
    { name: 'no scope', incident: { scope: [] }, want: 0 },
    { name: 'a provider that served nothing', incident: { scope: [{ kind: 'provider', id: 'b' }] }, want: 0 },
    { name: 'one that begins tomorrow', incident: { starts_at: time(60) }, want: 0 },
  ];
  for (const { name, incident, want } of rows)
    it(`${name}: ${want / 1000}`, () => {
      expect(debt([incidentI(incident)])).to.equal(want);
    });

  it('a fault in its minutes corroborates one source', () => {
    const failing = count(generate(60, 10, 4), { fails: ({ i }) => i === 2390 });
    const one = incidentI({ deliveries: [delivery('d', 's', 'strong')] });
    expect([debt([one]), debt([one], day, failing.minutes)]).to.deep.equal([20_000, 40_000]);
  });

  it('halves every 14 days after the end and is gone after 97', () => {
    const over = incidentI({ state: 'resolved', ends_at: time(59.5) });
    const after = (days: number) => debt([over], day + days);
    expect([0, 14, 28].map(after)).to.deep.equal([40_000, 20_000, 10_000]);
    expect([after(97) > 0, after(98)]).to.deep.equal([true, 0]);
  });

  it('overlapping windows of one subject count once, by the largest; those of two add up', () => {
    const second = incidentI({ incident_id: 'inc_2', severity: 'high' });
    const orb = incidentI({ incident_id: 'inc_3', severity: 'high', scope: [{ kind: 'orb', id: 'orb' }] });
    expect(debt([incidentI(), second])).to.equal(40_000);
    expect(debt([second, incidentI(), second])).to.equal(40_000);
    expect(debt([incidentI(), second, orb])).to.equal(60_000);
    const before = incidentI({ incident_id: 'inc_4', state: 'resolved', starts_at: time(50), ends_at: time(51.5) });
    const apart = debt([before], day);
    expect(debt([incidentI(), before])).to.equal(40_000 + apart);
    // A long one between two does not make them one.
    const bridge = incidentI({ incident_id: 'inc_5', severity: 'warning', starts_at: time(49) });
    expect(debt([incidentI(), before, bridge])).to.equal(40_000 + apart);
  });

  it('an open incident of the parent version counts for the child, a closed one does not', () => {
    const ofParent = incidentI({ scope: [{ kind: 'orb', id: 'parent' }] });
    expect(debt([ofParent], day, counted.minutes, 'parent')).to.equal(40_000);
    expect(debt([{ ...ofParent, state: 'resolved', ends_at: time(59) }], day, counted.minutes, 'parent')).to.equal(0);
  });

  it('only the platform opens an integrity incident', () => {
    const line: IncidentLine = { ...opened, reason: 'integrity', scope: [{ kind: 'orb', id: 'orb' }] };
    expect(debtOf({ orb_id: 'orb' }, [merged(line)], day, counted.minutes)).to.include({
      integrity: true,
      debt_milli: 0,
    });
    const forged = merged({ ...line, principal: 'prn_1' });
    expect(debtOf({ orb_id: 'orb' }, [forged], day, counted.minutes).integrity).to.equal(false);
    const closed = merged(line, { ...line, change: 'changed', change_number: 2, state: 'resolved', ends_at: time(59) });
    expect(debtOf({ orb_id: 'orb' }, [closed], day, counted.minutes).integrity).to.equal(false);
  });
});
