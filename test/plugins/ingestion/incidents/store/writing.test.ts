import { expect } from 'chai';
import type { Maintenance } from '../../../../../plugins/ingestion/incidents/model/schema.ts';
import type { Settled } from '../../../../../plugins/ingestion/incidents/store/writing.ts';
import { act, at, delivery, event, openTables, type IncidentTables } from './incidents.ts';

describe('what is written of incidents', () => {
  let tables: IncidentTables;
  beforeEach(() => {
    tables = openTables();
  });
  afterEach(() => tables.driver.close());

  const due = () =>
    Object.fromEntries(
      tables.reads
        .keys()
        .map(({ key, due_ms }) => [key, due_ms] as const)
        .sort(),
    );
  const settle = (settled: Partial<Settled>): Promise<void> =>
    tables.operations.settleKeys({ keys: [], assigned: [], shown: [], ...settled });
  const later = (...keys: readonly string[]): Promise<void> =>
    settle({ keys: keys.map((key) => ({ key, due_ms: 99 })) });
  const eventIds = (fingerprint: string) => tables.reads.events(fingerprint).map(({ event_id }) => event_id);

  it('makes every key of an alert due when an event of it comes, and no other', async () => {
    await tables.take([event('sig_1'), event('sig_2', { key: 'l' }), event('sig_3', { key: '' })]);
    await tables.take([event('sig_4', { fingerprint: 'g', key: 'm' })]);
    expect(due()).to.deep.equal({ k: 0, l: 0, m: 0 });
    await later('k', 'l', 'm');
    await tables.take([event('sig_5')]);
    expect(due()).to.deep.equal({ k: 0, l: 0, m: 99 });
  });

  it('makes the keys of what is taken back due, also one that no event has afterwards', async () => {
    await tables.take([event('sig_1'), event('sig_2', { key: 'l' }), event('sig_9', { fingerprint: 'g', key: 'm' })]);
    await later('k', 'l', 'm');
    await tables.take([], ['sig_2', 'sig_0']);
    expect(due()).to.deep.equal({ k: 0, l: 0, m: 99 });
    expect([eventIds('f'), eventIds('g')]).to.deep.equal([['sig_1'], ['sig_9']]);
  });

  it('keeps an event under its id once: what is read again changes it where it is', async () => {
    await tables.take([event('sig_1')]);
    await settle({ assigned: [{ event_id: 'sig_1', incident_id: 'inc_1' }] });
    await tables.take([event('sig_1', { key: 'l', title: 'again', occurred_ms: 20 })]);
    expect(tables.reads.events('f')).to.deep.equal([
      event('sig_1', { key: 'l', title: 'again', occurred_ms: 20, incident_id: 'inc_1' }),
    ]);
    expect(due()).to.deep.equal({ k: 0, l: 0 });
    await tables.operations.pruneIncidents({ before: at(0), before_ms: 15 });
    expect(eventIds('f'), 'the time is the new one').to.deep.equal(['sig_1']);
  });

  it('leaves what is read again in its incident with what was decided: of the same alert and delivery', async () => {
    const of = (fingerprint: string, id: string) => ({ fingerprint, delivery: delivery(id) });
    tables.incident('inc_1');
    await tables.take([
      event('sig_1', of('f', 'dlv_1')),
      event('sig_2', of('g', 'dlv_1')),
      event('sig_3', of('f', 'dlv_2')),
    ]);
    await settle({ assigned: [{ event_id: 'sig_1', incident_id: 'inc_1' }] });
    tables.operations.putAct(act('act_1', 'inc_1'));
    const again = [
      event('sig_4', of('f', 'dlv_1')),
      event('sig_5', of('g', 'dlv_1')),
      event('sig_6', of('f', 'dlv_2')),
    ];
    await tables.take(again, ['sig_2', 'sig_1', 'sig_3']);
    const marks = (id: string) => {
      const { incident_id, act_id } = tables.reads.event(id) ?? {};
      return [incident_id, act_id];
    };
    expect(['sig_4', 'sig_5', 'sig_6'].map(marks)).to.deep.equal([
      ['inc_1', 'act_1'],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(eventIds('f')).to.have.members(['sig_4', 'sig_6']);
  });

  it('notes when events were seen again, at the latest time, and leaves their keys as they are', async () => {
    await tables.take([event('sig_1', { seen_ms: 20 }), event('sig_2', { occurred_ms: 11 })]);
    await later('k');
    const hear = (seen_ms: number, occurred_ms = 10) =>
      tables.operations.takeEvents({ events: [], withdrawn: [], heard: [{ fingerprint: 'f', occurred_ms, seen_ms }] });
    for (const seen of [30, 25]) await hear(seen);
    await hear(40, 11);
    await hear(99, 12);
    expect(due()).to.deep.equal({ k: 99 });
    expect(tables.reads.events('f').map(({ seen_ms }) => seen_ms)).to.have.members([30, 40]);
    await tables.take([event('sig_1', { seen_ms: 20 })]);
    expect(tables.reads.event('sig_1')?.seen_ms, 'written again').to.equal(30);
  });

  it('settles keys: one is due later, one no more', async () => {
    await tables.take([event('sig_1'), event('sig_2', { key: 'l' }), event('sig_3', { key: 'm' })]);
    await settle({ keys: [{ key: 'k', due_ms: 7 }, { key: 'l' }, { key: 'n', due_ms: 8 }] });
    expect(due()).to.deep.equal({ k: 7, m: 0, n: 8 });
  });

  it('shows an incident again without a change of what is attested, and none that is not there', async () => {
    tables.incident('inc_1');
    tables.incident('inc_2');
    const shown = { title: 'now' } as Settled['shown'][number]['shown'];
    await settle({
      shown: [
        { incident_id: 'inc_0', shown },
        { incident_id: 'inc_2', shown },
      ],
    });
    expect(tables.reads.incident('inc_2')).to.deep.include({ incident_id: 'inc_2', shown, receipt_id: 'rec_1' });
    expect(tables.reads.incident('inc_1')).to.deep.include({ shown: { title: 'inc_1' } });
  });

  it('changes an incident with its events and deliveries, and lists each delivery once: with the change that came first', async () => {
    await tables.take([event('sig_1'), event('sig_2')]);
    const scope = [{ kind: 'orb', id: 'a.b@1.0.0' }] as const;
    tables.incident('inc_1', {}, { scope: [...scope] }, { deliveries: [delivery('dlv_2')] });
    tables.incident(
      'inc_1',
      { change_number: 2 },
      { scope: [...scope], state: 'resolved', severity: 'info', ends_at: at(20) },
      {
        deliveries: [delivery('dlv_1'), delivery('dlv_2')],
        assigned: [{ event_id: 'sig_2', incident_id: 'inc_1' }],
      },
    );
    expect(tables.reads.deliveries('inc_1').map(({ delivery_id }) => delivery_id)).to.deep.equal(['dlv_2', 'dlv_1']);
    expect(tables.reads.eventsOf('inc_1').map(({ event_id }) => event_id)).to.deep.equal(['sig_2']);
    expect(tables.reads.list({ limit: 9, state: 'resolved', severity: 'info' }).items).to.have.length(1);
    expect(tables.reads.between(at(20), at(30))).to.have.length(0);
    expect(() => tables.incident('inc_1', { change_number: 2 }), 'a change has its number alone').to.throw(/UNIQUE/);
  });

  it('marks what an incident consists of by a resolution or retraction, not by an acknowledgement, and looks at it again', async () => {
    tables.incident('inc_1');
    tables.incident('inc_2', { key: 'l' });
    await tables.take([event('sig_1'), event('sig_2', { key: 'l' })]);
    await settle({ assigned: ['1', '2'].map((n) => ({ event_id: `sig_${n}`, incident_id: `inc_${n}` })) });
    await later('k', 'l');
    const decided = () => ['sig_1', 'sig_2'].map((id) => tables.reads.event(id)?.act_id);
    tables.operations.putAct(act('act_1', 'inc_1', 'acknowledged'));
    expect([decided(), due()]).to.deep.equal([[undefined, undefined], { k: 0, l: 99 }]);
    await later('k');
    tables.operations.putAct(act('act_2', 'inc_1', 'retracted'));
    expect([decided(), due()]).to.deep.equal([['act_2', undefined], { k: 0, l: 99 }]);
    tables.operations.putAct(act('act_3', 'inc_2', 'resolved'));
    expect([decided(), due()]).to.deep.equal([['act_2', 'act_3'], { k: 0, l: 0 }]);
  });

  it('looks at all that waits again when maintenance is planned or called off', async () => {
    await later('k', 'l');
    tables.operations.putWindow({ maintenance_id: 'mnt_1', starts_at: at(0), ends_at: at(9) } as Maintenance);
    expect(due()).to.deep.equal({ k: 0, l: 0 });
    await later('k', 'l');
    tables.operations.dropWindow({ maintenance_id: 'mnt_1' });
    expect(due()).to.deep.equal({ k: 0, l: 0 });
  });

  it('freezes what has long been over and whose alerts are silent since, and forgets its events', async () => {
    const over = { state: 'resolved', ends_at: at(20) } as const;
    const old = { updated_at: at(99) };
    const rows = [
      { id: '1', more: old, facts: over, heard: 9, frozen: true },
      { id: '2', more: { updated_at: at(100) }, facts: over, heard: 9, frozen: false },
      { id: '3', more: old, facts: over, heard: 10, frozen: false },
      { id: '4', more: old, facts: {}, heard: 9, frozen: false },
      { id: '5', more: { ...old, retracted: true }, facts: {}, heard: 9, frozen: true },
      { id: '6', more: old, facts: over, heard: 9, seen: 10, frozen: false },
    ];
    for (const { id, more, facts } of rows) tables.incident(`inc_${id}`, more, facts);
    await tables.take([
      ...rows.flatMap(({ id, heard, seen = heard }) => [
        event(`sig_${id}`, { fingerprint: id, occurred_ms: heard, seen_ms: seen }),
        event(`sig_${id}0`, { fingerprint: id, occurred_ms: 1 }),
      ]),
      event('sig_8', { occurred_ms: 9 }),
      event('sig_9', { occurred_ms: 10 }),
    ]);
    const assigned = rows.flatMap(({ id }) =>
      [id, `${id}0`].map((n) => ({ event_id: `sig_${n}`, incident_id: `inc_${id}` })),
    );
    await settle({ assigned });
    await tables.operations.pruneIncidents({ before: at(100), before_ms: 10 });
    const live = tables.reads.incidents('k').map(({ incident_id }) => incident_id);
    for (const { id, frozen } of rows) {
      expect(live.includes(`inc_${id}`), id).to.equal(!frozen);
      expect(eventIds(id), id).to.have.length(frozen ? 0 : 2);
    }
    expect(eventIds('f'), 'of no incident').to.deep.equal(['sig_9']);
    const changes = () => tables.driver.prepare('SELECT total_changes() AS n').get();
    const before = changes();
    await tables.operations.pruneIncidents({ before: at(100), before_ms: 10 });
    expect(changes(), 'what is frozen is not written again').to.deep.equal(before);
    await tables.take([event('sig_1a', { fingerprint: '1', occurred_ms: 10 })]);
    await settle({ assigned: [{ event_id: 'sig_1a', incident_id: 'inc_1' }] });
    await tables.operations.pruneIncidents({ before: at(100), before_ms: 10 });
    expect(eventIds('1'), 'not yet').to.deep.equal(['sig_1a']);
  });
});
