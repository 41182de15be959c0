import { expect } from 'chai';
import fc from 'fast-check';
import { Weighing } from '../../../../plugins/ledger/projection/weighing.ts';
import { dayText } from '../../../../plugins/ledger/score/day.ts';
import { debtOf } from '../../../../plugins/ledger/score/debt.ts';
import { incidentI } from '../generator.ts';
import type { Incident } from '../../../../plugins/ledger/fact/incident.ts';

const day = 20_000;
const subject = { orb_id: 'acme.tool@1.1.0', parent: 'acme.tool@1.0.0' };
const half = [{ provider: 'a', n: 5, fault: 0 }];

const scopes = fc.array(
  fc.oneof(
    fc.constantFrom(subject.orb_id, subject.parent, 'acme.other@1.0.0').map((id) => ({ kind: 'orb' as const, id })),
    fc.constantFrom('a', 'b').map((id) => ({ kind: 'provider' as const, id })),
    fc.constant({ kind: 'component' as const, id: 'api' }),
  ),
  { minLength: 1, maxLength: 3 },
);

// Most end around the day from which an incident weighs nothing any more, the time of some in another zone.
const ended = fc
  .tuple(
    fc.integer({ min: 0, max: 102 }),
    fc.constantFrom('T00:00:00Z', 'T23:59:59Z', 'T23:30:00-14:00', 'T00:30:00+14:00'),
  )
  .map(([age, time]) => `${dayText(day - age)}${time}`);

const incident = fc
  .record({
    ...{
      scope: scopes,
      retracted: fc.boolean(),
      integrity: fc.boolean(),
      ends_at: fc.option(ended, { nil: undefined }),
    },
    state: fc.constantFrom('open' as const, 'resolved' as const),
    started: fc.integer({ min: -1, max: 200 }),
  })
  .map(({ started, ends_at, ...made }): Incident => {
    const over = ends_at === undefined ? {} : { ends_at };
    return incidentI({ ...made, ...over, starts_at: `${dayText(day - started)}T00:00:00Z` });
  });

describe('the incidents that may weigh on an Orb', () => {
  it('cost it what all that ever were cost it', () => {
    fc.assert(
      fc.property(fc.array(incident, { maxLength: 20 }), (some) => {
        const all = some.map((one, at) => ({ ...one, incident_id: `inc_${at}` }));
        const chosen = new Weighing(all, day).on(subject);
        expect(debtOf(subject, chosen, day, () => half)).to.deep.equal(debtOf(subject, all, day, () => half));
      }),
      { numRuns: 1000 },
    );
  });

  it('are not those that are over for long, were retracted, or name others alone', () => {
    const orb = { kind: 'orb' as const, id: subject.orb_id };
    const over = { state: 'resolved' as const, scope: [orb], starts_at: `${dayText(day - 200)}T00:00:00Z` };
    const all = [
      incidentI({ incident_id: 'inc_open', scope: [orb], starts_at: over.starts_at }),
      incidentI({ ...over, incident_id: 'inc_recent', ends_at: `${dayText(day - 97)}T00:00:00Z` }),
      incidentI({ ...over, incident_id: 'inc_old', ends_at: `${dayText(day - 100)}T00:00:00Z` }),
      incidentI({ incident_id: 'inc_retracted', scope: [orb], retracted: true }),
      incidentI({ incident_id: 'inc_other', scope: [{ kind: 'orb', id: 'acme.other@1.0.0' }] }),
    ];
    const chosen = new Weighing(all, day).on({ orb_id: subject.orb_id });
    expect(chosen.map(({ incident_id }) => incident_id)).to.deep.equal(['inc_open', 'inc_recent']);
  });
});
