import { expect } from 'chai';
import type { IncidentQuery, Maintenance } from '../../../../../plugins/ingestion/incidents/model/schema.ts';
import { act, at, delivery, event, note, openTables, type IncidentTables } from './incidents.ts';

describe('what is read of incidents', () => {
  let tables: IncidentTables;
  beforeEach(() => {
    tables = openTables();
  });
  afterEach(() => tables.driver.close());

  const ids = (found: readonly { readonly incident_id: string }[]): readonly string[] =>
    found.map(({ incident_id }) => incident_id);
  const names = (found: readonly { readonly event_id: string }[]): readonly string[] =>
    found.map(({ event_id }) => event_id);

  it('is each event of its alert, key, delivery and incident', async () => {
    await tables.take([
      event('sig_3', { occurred_ms: 5, delivery: delivery('dlv_1') }),
      event('sig_2', { occurred_ms: 7, key: 'l', delivery: delivery('dlv_1') }),
      event('sig_1', { occurred_ms: 7, delivery: delivery('dlv_2') }),
      event('sig_4', { fingerprint: 'g', key: '', delivery: delivery('dlv_2') }),
    ]);
    await tables.take([event('sig_5', { fingerprint: 'g' })]);
    const { reads } = tables;
    expect(names(reads.events('f'))).to.have.members(['sig_1', 'sig_2', 'sig_3']);
    expect(reads.fingerprints('k')).to.have.members(['f', 'g']);
    expect(reads.fingerprints('l')).to.deep.equal(['f']);
    expect(reads.keysOf('f')).to.have.members(['k', 'l']);
    expect(reads.keysOf('g'), 'none by itself').to.deep.equal(['k']);
    const places = [7, 7, 8].map((occurred_ms) => ({ fingerprint: 'f', occurred_ms }));
    expect(names(reads.eventsAt(places)), 'each once').to.have.members(['sig_1', 'sig_2']);
    expect(reads.event('sig_2')).to.include({ event_id: 'sig_2', key: 'l' });
    expect(reads.event('sig_0')).to.equal(undefined);
    const assigned = ['sig_1', 'sig_2', 'sig_3'].map((event_id) => ({ event_id, incident_id: 'inc_1' }));
    await tables.operations.settleKeys({ keys: [], assigned, shown: [] });
    expect(names(reads.eventsOf('inc_1')), 'by time, then by id').to.deep.equal(['sig_3', 'sig_1', 'sig_2']);
  });

  it('is the incidents of a key with their deliveries, in the order of changes', () => {
    tables.incident('inc_1', {}, {}, { deliveries: [delivery('dlv_9')] });
    tables.incident('inc_1', { change_number: 2 }, {}, { deliveries: [delivery('dlv_2'), delivery('dlv_1')] });
    tables.incident('inc_2', {}, {}, { deliveries: [delivery('dlv_2')] });
    tables.incident('inc_3', { key: 'l' });
    tables.incident('inc_2', { change_number: 2 }, {}, { takes: ['inc_1'] });
    const found = tables.reads.incidents('k');
    expect(
      found.map(({ incident_id, merged_into, deliveries }) => [incident_id, merged_into, deliveries]),
    ).to.deep.equal([
      ['inc_1', 'inc_2', ['dlv_9', 'dlv_1', 'dlv_2'].map(delivery)],
      ['inc_2', undefined, [delivery('dlv_2')]],
    ]);
    expect(tables.reads.incident('inc_3')).to.include({ incident_id: 'inc_3', key: 'l' });
    expect(tables.reads.incident('inc_0')).to.equal(undefined);
  });

  it('is what is open by its beginning, without what is resolved or retracted', () => {
    tables.incident('inc_1', {}, { starts_at: at(12) });
    tables.incident('inc_2', {}, { starts_at: at(11), state: 'acknowledged' });
    tables.incident('inc_3', {}, { state: 'resolved', ends_at: at(20) });
    tables.incident('inc_4', { retracted: true });
    tables.incident('inc_0', {}, { starts_at: at(12) });
    expect(ids(tables.reads.open())).to.deep.equal(['inc_2', 'inc_0', 'inc_1']);
  });

  describe('and listed', () => {
    beforeEach(() => {
      const scope = (kind: 'component' | 'provider' | 'orb', id: string) => ({ scope: [{ kind, id }] });
      tables.incident('inc_1', {}, { starts_at: at(1), ...scope('component', 'x') });
      tables.incident('inc_2', { kind: 'operator' }, { starts_at: at(2), ...scope('provider', 'x') });
      tables.incident('inc_3', {}, { starts_at: at(3), state: 'resolved', ends_at: at(9), ...scope('orb', 'x') });
      tables.incident('inc_4', { retracted: true }, { starts_at: at(4), severity: 'info', ...scope('component', 'y') });
    });

    const rows: readonly { readonly query: Partial<IncidentQuery>; readonly found: string }[] = [
      { query: {}, found: '4321' },
      { query: { limit: 2 }, found: '43' },
      { query: { after: 'inc_3' }, found: '21' },
      { query: { state: 'open' }, found: '421' },
      { query: { state: 'resolved' }, found: '3' },
      { query: { state: 'unresolved' }, found: '21' },
      { query: { severity: 'info' }, found: '4' },
      { query: { kind: 'operator' }, found: '2' },
      { query: { retracted: true }, found: '4' },
      { query: { retracted: false }, found: '321' },
      { query: { from: at(2) }, found: '432' },
      { query: { to: '2026-11-21T01:00:03+01:00' }, found: '21' },
      { query: { component: 'x' }, found: '1' },
      { query: { provider: 'x' }, found: '2' },
      { query: { orb_id: 'x' }, found: '3' },
      { query: { orb_id: 'y' }, found: '' },
      { query: { retracted: false, from: at(2), state: 'unresolved' }, found: '2' },
    ];
    for (const { query, found } of rows)
      it(`newest first, with ${JSON.stringify(query)}`, () => {
        const { items } = tables.reads.list({ limit: 9, ...query });
        expect(ids(items)).to.deep.equal([...found].map((digit) => `inc_${digit}`));
      });
  });

  it('is what was active in a time, whose ends do not belong: live, and of a subject when that is given', () => {
    const orb = { kind: 'orb' as const, id: 'a.b@1.0.0' };
    tables.incident('inc_6', {}, { starts_at: at(0), scope: [orb, { kind: 'provider', id: 'p' }] });
    tables.incident('inc_5', {}, { starts_at: at(5), state: 'resolved', ends_at: at(10) });
    tables.incident('inc_4', {}, { starts_at: at(5), state: 'resolved', ends_at: at(11), scope: [orb] });
    tables.incident('inc_3', {}, { starts_at: at(19) });
    tables.incident('inc_2', {}, { starts_at: at(20) });
    tables.incident('inc_1', { retracted: true }, { starts_at: at(15) });
    tables.incident('inc_0', {}, { starts_at: at(19) });
    const { reads } = tables;
    expect(ids(reads.between(at(10), at(20)))).to.deep.equal(['inc_6', 'inc_4', 'inc_0', 'inc_3']);
    expect(ids(reads.between(at(10), at(20), orb))).to.deep.equal(['inc_6', 'inc_4']);
    expect(ids(reads.between(at(10), at(20), { ...orb, kind: 'component' }))).to.deep.equal([]);
    expect(ids(reads.between(at(10), at(20), { kind: 'provider', id: 'p' }))).to.deep.equal(['inc_6']);
    const noted = reads.betweenNoted(at(10), at(20), [{ kind: 'provider', id: 'p' }, orb]);
    expect(ids(noted.map(({ row }) => row))).to.deep.equal(['inc_6', 'inc_4']);
  });

  it('is each change with its receipt, in order', () => {
    tables.incident('inc_2');
    tables.incident('inc_1', { change_number: 2, receipt_id: 'rec_2', updated_at: at(5) });
    tables.incident('inc_1', {}, {}, { deliveries: [delivery('dlv_1')] });
    expect(tables.reads.changes('inc_1').map((one) => [one.change_number, one.receipt_id, one.at])).to.deep.equal([
      [1, 'rec_1', at(10)],
      [2, 'rec_2', at(5)],
    ]);
    expect(tables.reads.changes('inc_1')[0]?.deliveries).to.deep.equal([delivery('dlv_1')]);
  });

  it('is what people decided and wrote of an incident, and of those that became one with it', () => {
    for (const id of ['inc_1', 'inc_2', 'inc_3']) tables.incident(id);
    const { operations, reads } = tables;
    for (const [id, of] of [
      ['act_2', 'inc_1'],
      ['act_1', 'inc_1'],
      ['act_3', 'inc_2'],
      ['act_4', 'inc_3'],
    ] as const)
      operations.putAct(act(id, of));
    for (const [id, of] of [
      ['nte_2', 'inc_1'],
      ['nte_1', 'inc_2'],
      ['nte_3', 'inc_3'],
    ] as const)
      operations.putNote(note(id, of));
    const acts = (of: string) => reads.acts(of).map(({ act_id, incident_id }) => `${act_id} ${incident_id}`);
    expect(acts('inc_1')).to.deep.equal(['act_1 inc_1', 'act_2 inc_1']);
    expect([reads.act('act_3')?.act_id, reads.act('act_0')]).to.deep.equal(['act_3', undefined]);
    const notes = (of: string) => reads.notes(of).map(({ note_id }) => note_id);
    expect(notes('inc_1')).to.deep.equal(['nte_2']);
    tables.incident('inc_1', { change_number: 2 }, {}, { takes: ['inc_2'] });
    expect(acts('inc_1')).to.deep.equal(['act_1 inc_1', 'act_2 inc_1', 'act_3 inc_1']);
    expect(acts('inc_3')).to.deep.equal(['act_4 inc_3']);
    expect([notes('inc_1'), notes('inc_2'), notes('inc_3')]).to.deep.equal([['nte_1', 'nte_2'], ['nte_1'], ['nte_3']]);
  });

  it('is the windows of maintenance that overlap a time, whose ends do not belong', () => {
    const { operations, reads } = tables;
    const put = (maintenance_id: string, from: number, to: number) =>
      operations.putWindow({ maintenance_id, starts_at: at(from), ends_at: at(to) } as Maintenance);
    for (const [id, from, to] of [
      ['mnt_5', 0, 10],
      ['mnt_4', 0, 11],
      ['mnt_3', 19, 30],
      ['mnt_2', 20, 30],
    ] as const)
      put(id, from, to);
    put('mnt_1', 19, 20);
    const windows = () => reads.windows(at(10), at(20)).map(({ maintenance_id }) => maintenance_id);
    expect(windows()).to.deep.equal(['mnt_4', 'mnt_1', 'mnt_3']);
    put('mnt_3', 5, 6);
    expect(windows()).to.deep.equal(['mnt_4', 'mnt_1']);
    put('mnt_2', 15, 30);
    operations.dropWindow({ maintenance_id: 'mnt_4' });
    expect(windows()).to.deep.equal(['mnt_2', 'mnt_1']);
    expect([reads.window('mnt_5')?.maintenance_id, reads.window('mnt_4')]).to.deep.equal(['mnt_5', undefined]);
  });
});
