import { expect } from 'chai';
import type { Snapshot } from '../../../../plugins/observability/status/board.ts';
import type { IncidentEntry } from '../../../../plugins/observability/status/schema.ts';
import { statuspageIncident } from '../../../../plugins/observability/status/statuspage.ts';

interface Shown {
  readonly incident_updates: readonly { readonly id: string; readonly body: string }[];
}

describe('an incident in the form of Statuspage', () => {
  it('has the updates of one moment in the order in which they were written, newest first', () => {
    const [begun, then] = ['2026-01-31T12:00:00.000Z', '2026-01-31T12:05:00.000Z'];
    const update = (message: string) => ({ at: then, status: 'monitoring', message }) as const;
    const entry: IncidentEntry = {
      id: 'inc_1',
      title: 'Runtime: major outage',
      status: 'resolved',
      impact: 'none',
      scheduled: false,
      components: [],
      started_at: begun,
      updated_at: then,
      resolved_at: then,
      url: 'https://orb.example/status.html',
      updates: [update('one'), update('two'), update('three')],
    };
    const frame = { id: 'ins_1', publicUrl: 'https://orb.example' };
    // It shows no component, for which alone the snapshot is asked.
    const { incident_updates } = statuspageIncident(entry, {} as Snapshot, frame) as Shown;
    expect(incident_updates.map(({ id, body }) => [id, body])).to.deep.equal([
      ['inc_1.5', 'Resolved.'],
      ['inc_1.4', 'three'],
      ['inc_1.3', 'two'],
      ['inc_1.2', 'one'],
      ['inc_1.1', 'Runtime: major outage.'],
    ]);
  });
});
