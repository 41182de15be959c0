import { expect } from 'chai';
import type { IncidentLine, RunLine, StandingLine } from '../../../../plugins/ledger/fact/line.ts';
import { listed } from '../../../../plugins/ledger/projection/orb.ts';
import { newState, Projection } from '../../../../plugins/ledger/projection/projection.ts';
import { Summing } from '../../../../plugins/ledger/projection/tallies.ts';

const orb_id = 'acme.tool@1.0.0';
const at = '2026-11-20T10:00:00.000Z';
const head = { origin: 'o', index: 0, receipt_id: 'rec_1', signed_by: 'k1' };
const standing = (change: StandingLine['change'], more: Partial<StandingLine> = {}): StandingLine => ({
  ...{ ...head, kind: 'standing', at, orb_id, change },
  ...more,
});
const incident = (more: Partial<IncidentLine> = {}): IncidentLine => ({
  ...{ ...head, kind: 'incident', at, incident_id: 'inc_1', change: 'opened', change_number: 1, state: 'open' },
  ...{ severity: 'critical', reason: 'integrity', starts_at: at, deliveries: [] },
  scope: [{ kind: 'orb', id: orb_id }],
  ...more,
});
function create() {
  const sums = new Summing();
  const projection = new Projection(newState(), sums, { callerDays: () => [], minutes: () => [] });
  const orb = () => projection.state.orbs.get(orb_id);
  return { projection, sums, orb };
}

describe('the projection', () => {
  it('remembers until the next snapshot that a suspension has begun, though it has ended', () => {
    const { projection, orb } = create();
    projection.apply(standing('suspended'));
    projection.apply(standing('lifted'));
    expect(orb()).to.deep.include({ suspended: false, causes: [] });
    expect(orb()?.machine.interrupted).to.equal(true);
    expect(projection.take().events.map(({ change }) => change)).to.deep.equal(['suspended', 'restored']);
  });

  it('takes whether a manifest is signed from its publishing, and from no other change of the listing', () => {
    const { projection, orb } = create();
    const rows: readonly (readonly [StandingLine['change'], boolean | undefined, boolean])[] = [
      ['deprecated', true, false],
      ['published', true, true],
      ['published', undefined, true],
      ['deprecated', false, true],
      ['published', false, false],
      ['yanked', true, false],
      ['removed', undefined, false],
    ];
    for (const [change, manifest_signed, signed] of rows) {
      projection.apply(standing(change, manifest_signed === undefined ? {} : { manifest_signed }));
      expect(orb()?.signed, `${change} ${String(manifest_signed)}`).to.equal(signed);
    }
  });

  it('restores an Orb that an incident does not name any more', () => {
    const { projection, orb } = create();
    projection.apply(standing('published'));
    projection.apply(incident());
    expect(orb()?.causes).to.deep.equal(['integrity_incident']);
    projection.apply(incident({ change: 'changed', change_number: 2, scope: [] }));
    expect(orb()?.causes).to.deep.equal([]);
  });

  it('takes back of a revoked key what it counted, and nothing of what was refused', () => {
    const run: RunLine = {
      ...{ ...head, kind: 'run', orb_id, mode: 'live', is_self: false, caller_ref: 'c1', outcome: 'accepted' },
      ...{ outcome_class: 'ok', finished_at: at, execution_ms: 1, caller_deadline: false, codes: [], bound: true },
      manifest_signed: true,
    };
    for (const [outcome_class, counted] of [
      ['ok', 1],
      ['orb_fault', 0],
    ] as const) {
      const { projection, sums, orb } = create();
      projection.apply({ ...run, outcome_class });
      expect(sums.take().callerDays.map(({ ok }) => ok)).to.deep.equal(counted === 0 ? [] : [1]);
      projection.revise({ ...run, outcome_class }, 'k1');
      expect(sums.take().callerDays.map(({ ok }) => ok)).to.deep.equal(counted === 0 ? [] : [-1]);
      // Nor is it believed that the manifest is signed, until another key says so.
      expect(orb()?.signed).to.equal(false);
    }
    const { projection, orb } = create();
    projection.apply(run);
    projection.revise(run, 'k1');
    projection.revise({ ...run, receipt_id: 'rec_2', signed_by: 'k2' }, 'k1');
    expect(orb()?.signed).to.equal(true);
  });
});

describe('a listing as the log tells of it', () => {
  const first = listed(undefined, standing('published', { manifest_digest: 'sha256:1', manifest_signed: true }));
  const later = '2026-11-21T10:00:00.000Z';

  it('keeps when it was first published', () => {
    const again = listed(first, standing('published', { at: later, receipt_id: 'rec_2' }));
    expect(again).to.include({ published_at: at, changed_at: later, receipt_id: 'rec_2', manifest_digest: 'sha256:1' });
    expect(again?.manifest_signed).to.equal(true);
  });

  it('ends by a yank for good, and only a removal goes above that', () => {
    const yanked = listed(first, standing('yanked', { at: later, reason: 'x' }));
    for (const change of ['published', 'deprecated'] as const)
      expect(listed(yanked, standing(change))).to.equal(yanked);
    const removed = listed(yanked, standing('removed', { reason: 'y' }));
    expect(removed).to.include({ state: 'removed', reason: 'y', published_at: at });
    expect(listed(removed, standing('yanked'))).to.equal(removed);
  });
});
