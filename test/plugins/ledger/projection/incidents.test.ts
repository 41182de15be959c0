import { expect } from 'chai';
import type { IncidentLine } from '../../../../plugins/ledger/fact/line.ts';
import { mergeIncident } from '../../../../plugins/ledger/projection/incidents.ts';
import type { Incident } from '../../../../plugins/ledger/fact/incident.ts';

const line = (more: Partial<IncidentLine> = {}): IncidentLine => ({
  ...{ kind: 'incident', origin: 'o', index: 0, receipt_id: 'rec_1', signed_by: 'k', at: '2026-11-20T00:00:00.000Z' },
  ...{ incident_id: 'inc_1', change: 'opened', change_number: 1, state: 'open', severity: 'critical', scope: [] },
  ...{ starts_at: '2026-11-20T00:00:00.000Z', deliveries: [] },
  ...more,
});
const delivery = { delivery_id: 'd1', source_id: 's1', auth_strength: 'strong' } as const;
const changed = line({ change: 'changed', change_number: 2, severity: 'high', deliveries: [delivery] });
/** What is left of an incident after entries in every order. */
const merged = (...lines: readonly IncidentLine[]): readonly (Incident | undefined)[] =>
  [lines, [...lines].reverse(), [...lines, ...lines]].map((order) =>
    order.reduce<Incident | undefined>((known, one) => mergeIncident(known, one), undefined),
  );

describe('what is left of an incident', () => {
  it('is of integrity for good when the auditor opened it so, and never by the word of a person', () => {
    const opened = line({ reason: 'integrity' });
    for (const incident of merged(opened, changed)) expect(incident).to.include({ integrity: true, severity: 'high' });
    const byPerson = line({ reason: 'integrity', principal: 'prn_1' });
    for (const incident of merged(byPerson, changed)) expect(incident).to.include({ integrity: false });
    const later = { ...changed, reason: 'integrity' };
    for (const incident of merged(line(), later)) expect(incident).to.include({ integrity: false });
  });

  it('is our own for good when it was opened without a delivery, and not when a later entry has none', () => {
    for (const incident of merged(line(), changed)) expect(incident).to.include({ own: true });
    const opened = line({ deliveries: [delivery] });
    for (const incident of merged(opened, { ...changed, deliveries: [] })) expect(incident).to.include({ own: false });
  });

  it('counts each delivery once, and bears the state of the highest change', () => {
    for (const incident of merged(line({ deliveries: [delivery] }), changed)) {
      expect(incident).to.include({ change_number: 2, severity: 'high' });
      expect(incident?.deliveries).to.deep.equal([delivery]);
    }
  });

  it('keeps one delivery of each source and strength, the same in whatever order they come', () => {
    const of = (id: string, source_id: string, auth_strength: 'strong' | 'shared_secret') => ({
      ...{ delivery_id: id, source_id, auth_strength },
    });
    const many = Array.from({ length: 500 }, (_, number) => of(`d${500 - number}`, 's1', 'strong'));
    const other = [of('d2', 's2', 'strong'), of('d3', 's1', 'shared_secret')];
    for (const incident of merged(line({ deliveries: many }), { ...changed, deliveries: other }))
      expect(incident?.deliveries).to.deep.equal([other[1], of('d1', 's1', 'strong'), other[0]]);
  });

  it('keeps the first of two entries of one change', () => {
    const [first] = merged(line(), { ...changed, change_number: 1 });
    expect(first).to.include({ change_number: 1, severity: 'critical' });
  });

  it('has an end only when the log tells of one', () => {
    const ends_at = '2026-11-20T01:00:00.000Z';
    expect(mergeIncident(undefined, line())).to.not.have.property('ends_at');
    expect(mergeIncident(undefined, line({ ends_at }))).to.include({ ends_at });
  });

  it('was closed by a person who retracted or resolved it, and by nobody else', () => {
    const closed = (more: Partial<IncidentLine>): unknown =>
      merged(line(), { ...changed, ...more })[0]?.closed_by_person;
    expect(closed({ change: 'retracted', principal: 'prn_1' })).to.equal(true);
    expect(closed({ state: 'resolved', principal: 'prn_1' })).to.equal(true);
    expect(closed({ state: 'resolved' })).to.equal(false);
    expect(closed({ state: 'acknowledged', principal: 'prn_1' })).to.equal(false);
  });
});
