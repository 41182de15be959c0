import { expect } from 'chai';
import { concerns, intervalsOf, viewOf } from '../../../../../plugins/ingestion/incidents/model/view.ts';
import type { Note } from '../../../../../plugins/ingestion/incidents/model/schema.ts';
import type { IncidentRow } from '../../../../../plugins/ingestion/incidents/model/record.ts';

const mail = { kind: 'provider', id: 'smtp-main' } as const;
const stretch = (severity: 'critical' | 'high' | 'warning' | 'info', from: string, to?: string) => ({
  ...{ severity, from, ...(to === undefined ? {} : { to }) },
});

function row(facts: object = {}, shown: object = {}, more: object = {}): IncidentRow {
  return {
    ...{ incident_id: 'inc_1', key: 'k', kind: 'alerts', retracted: false, updated_at: 'u', receipt_id: 'rec_1' },
    facts: { state: 'open', severity: 'critical', scope: [mail], starts_at: '1', ...facts },
    shown: {
      ...{ phase: 'investigating', corroborated: true, flapping: false, reopen_count: 2, title: "the vendor's words" },
      ...{ stretches: [stretch('critical', '1', '2'), stretch('high', '2')], ...shown },
    },
    ...more,
  } as unknown as IncidentRow;
}
const note = (text: string, more: Partial<Note> = {}): Note =>
  ({ note_id: text, incident_id: 'inc_1', at: `at ${text}`, text, public: true, ...more }) as Note;

describe('an incident as everybody sees it', () => {
  it('has no word of a vendor', () => {
    const { stretches } = row().shown;
    expect(viewOf(row({ ends_at: '9' }, { acknowledged_at: '5' }), [])).to.deep.equal({
      ...{ incident_id: 'inc_1', kind: 'alerts', state: 'open', retracted: false, phase: 'investigating' },
      ...{ severity: 'critical', impact: 'partial_outage', scope: [mail], starts_at: '1', ends_at: '9' },
      ...{ acknowledged_at: '5', updated_at: 'u', corroborated: true, flapping: false, reopen_count: 2, stretches },
      updates: [],
    });
  });

  const impacts: readonly (readonly [string, IncidentRow, string])[] = [
    ['that of its last stretch', row({}, { stretches: [stretch('warning', '1')] }), 'degraded_performance'],
    ['that of its severity without a stretch', row({}, { stretches: [] }), 'major_outage'],
    ['none when it is over', row({ state: 'resolved' }), 'none'],
    ['none when it was retracted', row({}, {}, { retracted: true }), 'none'],
    ['none when it only informs', row({}, { stretches: [stretch('info', '1')] }), 'none'],
  ];
  for (const [name, one, impact] of impacts)
    it(`has as its impact ${name}`, () => expect(viewOf(one, []).impact).to.equal(impact));

  it('tells public notes, each with its phase or that of the incident', () => {
    const notes = [
      note('a', { phase: 'identified' }),
      note('b'),
      note('secret', { public: false, phase: 'monitoring' }),
    ];
    const { updates, phase } = viewOf(row(), notes);
    expect(updates).to.deep.equal([
      { at: 'at a', phase: 'identified', message: 'a' },
      { at: 'at b', phase: 'investigating', message: 'b' },
    ]);
    expect(phase).to.equal('identified');
  });

  it('has the phase of its newest note, until it is over', () => {
    const notes = [note('a', { phase: 'identified' }), note('b', { phase: 'monitoring' }), note('c')];
    expect(viewOf(row(), notes).phase).to.equal('monitoring');
    expect(viewOf(row({ state: 'resolved' }), notes).phase).to.equal('resolved');
  });
});

describe('the intervals of an incident', () => {
  const cut = (stretches: readonly object[]): readonly string[] =>
    intervalsOf(row({}, { stretches }), '3', '6').map(
      (one) => `${one.from}-${one.to ?? ''} ${'impact' in one ? `${one.impact} ${one.severity}` : ''}`,
    );
  const rows: readonly (readonly [string, readonly object[], readonly string[]])[] = [
    ['lie within the time', [stretch('critical', '4', '5')], ['4-5 major_outage critical']],
    ['are cut at both ends', [stretch('high', '1', '9')], ['3-6 partial_outage high']],
    ['stay open', [stretch('high', '4')], ['4- partial_outage high']],
    ['are not before it', [stretch('high', '1', '3')], []],
    ['are not after it', [stretch('high', '6', '9')], []],
    [
      'are one per stretch',
      [stretch('info', '3', '4'), stretch('warning', '4', '6')],
      ['3-4 none info', '4-6 degraded_performance warning'],
    ],
  ];
  for (const [name, stretches, expected] of rows)
    it(name, () => {
      expect(cut(stretches)).to.deep.equal(expected);
    });

  it('name the incident', () => {
    expect(intervalsOf(row(), '0', '9')[0]).to.deep.include({ kind: 'incident', incident_id: 'inc_1' });
  });
});

describe('a scope', () => {
  it('concerns a subject by kind and id', () => {
    expect(concerns([mail], mail)).to.equal(true);
    expect(
      concerns(
        [
          { kind: 'component', id: 'smtp-main' },
          { kind: 'provider', id: 'x' },
        ],
        mail,
      ),
    ).to.equal(false);
    expect(concerns([], mail)).to.equal(false);
  });
});
