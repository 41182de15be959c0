import { expect } from 'chai';
import type { Desired } from '../../../../../plugins/ingestion/incidents/cluster/incident.ts';
import { attestedOf, shownOf } from '../../../../../plugins/ingestion/incidents/cluster/plan.ts';

const time = (second: number): string => new Date(second * 1000).toISOString();
const desired = (more: Partial<Desired> = {}): Desired => ({
  ...{ kind: 'alerts', state: 'open', phase: 'investigating', severity: 'high', starts_ms: 1000 },
  ...{ corroborated: true, flapping: false, reopened: 2, title: 't', deliveries: [], events: [] },
  scope: [{ kind: 'provider', id: 'p' }],
  stretches: [
    { from_ms: 1000, to_ms: 2000, severity: 'critical' },
    { from_ms: 2000, to_ms: 3000, severity: 'high' },
  ],
  ...more,
});

describe('what is attested of an incident', () => {
  it('is its state, and nothing that it has not', () => {
    const scope = [{ kind: 'provider', id: 'p' }];
    expect(attestedOf(desired())).to.deep.equal({ state: 'open', severity: 'high', scope, starts_at: time(1) });
    const over = {
      state: 'resolved',
      ends_ms: 3000,
      principal: 'prn_1',
      reason: 'fixed',
      receipt_id: 'rec_1',
    } as const;
    expect(attestedOf(desired(over))).to.deep.equal({
      ...{ state: 'resolved', severity: 'high', scope, starts_at: time(1), ends_at: time(3) },
      ...{ principal: 'prn_1', reason: 'fixed', receipt_id: 'rec_1' },
    });
  });
});

describe('what is shown of an incident', () => {
  it('is what is not attested', () => {
    expect(shownOf(desired({ state: 'resolved', ending: 'expired', acknowledged_ms: 5000 }))).to.deep.equal({
      ...{ phase: 'investigating', ending: 'expired', acknowledged_at: time(5), corroborated: true, flapping: false },
      ...{ reopen_count: 2, title: 't' },
      stretches: [
        { from: time(1), to: time(2), severity: 'critical' },
        { from: time(2), to: time(3), severity: 'high' },
      ],
    });
  });

  it('has an open end as long as it is held: the last stretch, and no other', () => {
    const { stretches, ...rest } = shownOf(desired());
    expect(stretches.map(({ to }) => to)).to.deep.equal([time(2), undefined]);
    expect(rest).to.not.have.any.keys('ending', 'acknowledged_at');
  });

  it('has an open end when its last stretch has none', () => {
    const open = [{ from_ms: 1000, severity: 'high' as const }];
    expect(shownOf(desired({ state: 'resolved', stretches: open })).stretches).to.deep.equal([
      { from: time(1), severity: 'high' },
    ]);
  });
});
