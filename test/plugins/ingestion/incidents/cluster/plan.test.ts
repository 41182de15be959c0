import { expect } from 'chai';
import type { DeliveryRef } from '../../../../../plugins/ingestion/incidents/model/event.ts';
import type { Desired } from '../../../../../plugins/ingestion/incidents/cluster/incident.ts';
import { planOf, attestedOf, shownOf, type Plan } from '../../../../../plugins/ingestion/incidents/cluster/plan.ts';
import type { IncidentRecord } from '../../../../../plugins/ingestion/incidents/model/record.ts';
import { act, event } from './events.ts';

const ref = (delivery_id: string, source_id = 'src_1'): DeliveryRef => ({
  ...{ delivery_id, source_id, digest: 'sha256:x', auth_strength: 'strong' },
});

/** An incident as its events make it: events are `<id>` or `<id>@<incident>`. */
const desired = (events: readonly string[], more: Partial<Desired> = {}): Desired => ({
  ...{ kind: 'alerts', state: 'open', phase: 'investigating', severity: 'high', scope: [], starts_ms: 1000 },
  ...{ corroborated: false, flapping: false, reopened: 0, title: 't', stretches: [], deliveries: [ref('d1')] },
  events: events.map((one) => {
    const [event_id = '', incident_id] = one.split('@');
    return event(0, { event_id, ...(incident_id === undefined ? {} : { incident_id }) });
  }),
  ...more,
});

const record = (incident_id: string, of: Desired, more: Partial<IncidentRecord> = {}): IncidentRecord => ({
  ...{ incident_id, key: 'k', kind: 'alerts', change_number: 1, retracted: false, facts: attestedOf(of) },
  ...{ shown: shownOf(of), deliveries: of.deliveries, updated_at: 'u', receipt_id: 'rec_1', ...more },
});

function shown({ changes, shown: views, assigned }: Plan): readonly string[] {
  return [
    ...changes.map(({ change, incident_id, facts, deliveries, takes, before }) =>
      [
        ...[change, incident_id, ...deliveries.map(({ delivery_id }) => delivery_id)],
        ...(takes.length === 0 ? [] : [`takes ${takes.join(' ')}`]),
        ...(facts.reason === undefined ? [] : [facts.reason]),
        ...(facts.principal === undefined ? [] : [`by ${facts.principal}`]),
        ...(before?.merged_into === undefined ? [] : [`into ${before.merged_into}`]),
      ].join(' '),
    ),
    ...views.map(({ record: { incident_id }, shown: { title } }) => `shows ${incident_id} as ${title}`),
    ...assigned.map(({ event_id, incident_id }) => `assigns ${event_id} to ${incident_id}`),
  ];
}

const one = desired(['e1@inc_1']);
const stored = record('inc_1', one);
const retracted = { retraction: act('retracted', 5, { incident_id: 'inc_1', reason: 'no fault' }) };

describe('the changes of incidents', () => {
  const rows: readonly (readonly [string, readonly IncidentRecord[], readonly Desired[], readonly string[]])[] = [
    ['open what is new', [], [desired(['e1'])], ['opened new d1', 'assigns e1 to new']],
    ['are none when nothing changes', [stored], [one], []],
    ['change what is attested', [stored], [desired(['e1@inc_1'], { severity: 'critical' })], ['changed inc_1']],
    [
      'list what is not listed yet',
      [stored],
      [desired(['e1@inc_1'], { deliveries: [ref('d1'), ref('d2')] })],
      ['changed inc_1 d2'],
    ],
    ['show what is not attested', [stored], [desired(['e1@inc_1'], { title: 'now' })], ['shows inc_1 as now']],
    ['assign what is new to it', [stored], [desired(['e1@inc_1', 'e2'])], ['assigns e2 to inc_1']],
    ['withdraw what nothing says any more', [stored], [], ['retracted inc_1 withdrawn']],
    ['leave what was retracted', [{ ...stored, retracted: true }], [], []],
    [
      'open again beside what was retracted',
      [{ ...stored, retracted: true }],
      [one],
      ['opened new d1', 'assigns e1 to new'],
    ],
    [
      'replace what lists a source that no longer belongs to it',
      [stored],
      [desired(['e1@inc_1'], { deliveries: [ref('d1', 'src_2')] })],
      ['opened new d1 takes inc_1', 'retracted inc_1 superseded into new', 'assigns e1 to new'],
    ],
    [
      'replace what lists a proof that no longer belongs to it',
      [stored],
      [desired(['e1@inc_1'], { deliveries: [{ ...ref('d1'), auth_strength: 'shared_secret' }] })],
      ['opened new d1 takes inc_1', 'retracted inc_1 superseded into new', 'assigns e1 to new'],
    ],
    [
      'merge the later into the earlier',
      [record('inc_2', desired([], { starts_ms: 500 })), stored],
      [desired(['e1@inc_1', 'e2@inc_2'])],
      ['changed inc_2 takes inc_1', 'retracted inc_1 merged into inc_2', 'assigns e1 to inc_2'],
    ],
    [
      'merge the later id when both began at once',
      [record('inc_2', one), stored],
      [desired(['e2@inc_2', 'e1@inc_1'])],
      ['changed inc_1 takes inc_2', 'retracted inc_2 merged into inc_1', 'assigns e2 to inc_1'],
    ],
    [
      'merge what is replaced, too',
      [stored, record('inc_2', desired([], { starts_ms: 2000 }))],
      [desired(['e1@inc_1', 'e2@inc_2'], { deliveries: [ref('d1', 'src_2')] })],
      [
        ...[
          'opened new d1 takes inc_1 inc_2',
          'retracted inc_1 superseded into new',
          'retracted inc_2 merged into new',
        ],
        ...['assigns e1 to new', 'assigns e2 to new'],
      ],
    ],
    [
      'give what splits to the first part alone',
      [stored],
      [one, desired(['e2@inc_1'])],
      ['opened new d1', 'assigns e2 to new'],
    ],
    [
      'give what was merged to the first part alone',
      [stored, record('inc_2', desired([], { starts_ms: 2000 }))],
      [desired(['e1@inc_1', 'e2@inc_2']), desired(['e3@inc_2'])],
      [
        'changed inc_1 takes inc_2',
        'retracted inc_2 merged into inc_1',
        'opened new d1',
        'assigns e2 to inc_1',
        'assigns e3 to new',
      ],
    ],
    [
      'retract what a person retracted',
      [stored],
      [desired(['e1@inc_1'], retracted)],
      ['retracted inc_1 no fault by prn_1'],
    ],
    [
      'retract what a person retracted without a reason',
      [stored],
      [desired(['e1@inc_1'], { retraction: act('retracted', 5) })],
      ['retracted inc_1 false positive by prn_1'],
    ],
    ['do not retract it twice', [{ ...stored, retracted: true }], [desired(['e1@inc_1'], retracted)], []],
    [
      'retract what was merged before a crash',
      [{ ...stored, merged_into: 'inc_9' }],
      [],
      ['retracted inc_1 merged into inc_9'],
    ],
  ];
  for (const [name, records, wishes, expected] of rows)
    it(name, () => {
      expect(shown(planOf(records, wishes, () => 'new'))).to.deep.equal(expected);
    });

  it('attest a retraction with the state as it was, without the words of an earlier change', () => {
    const facts = { ...stored.facts, principal: 'prn_0', reason: 'earlier' };
    const [change] = planOf([{ ...stored, facts }], [], () => 'new').changes;
    expect(change).to.deep.include({
      facts: { ...stored.facts, reason: 'withdrawn' },
      deliveries: [],
      shown: stored.shown,
    });
    expect(change).to.not.have.property('desired');
  });

  it('know what they open and what they change', () => {
    const [opens] = planOf([], [one], () => 'new').changes;
    expect(opens).to.include({ desired: one }).and.not.have.property('before');
    const worse = desired(['e1@inc_1'], { severity: 'critical' });
    expect(planOf([stored], [worse], () => 'new').changes[0]).to.include({ desired: worse, before: stored });
  });
});
