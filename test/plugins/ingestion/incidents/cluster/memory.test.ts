import { expect } from 'chai';
import type { Act, IncidentRecord } from '../../../../../plugins/ingestion/incidents/model/record.ts';
import type { AlertEvent } from '../../../../../plugins/ingestion/incidents/model/event.ts';
import { Memory } from '../../../../../plugins/ingestion/incidents/cluster/memory.ts';
import { groupReading } from '../../../../../plugins/ingestion/incidents/model/group.ts';
import { act, event } from './events.ts';

const key = 'scope:k';

/** A memory over rows that may change, with the reads that it made. */
function opened(events: readonly AlertEvent[] = [], acts: readonly Act[] = []) {
  const rows = { events: [...events], acts: [...acts], incidents: [] as IncidentRecord[] };
  const asked: string[] = [];
  const read = <T>(what: string, found: readonly T[]): T[] => {
    asked.push(what);
    return [...found];
  };
  const reads = {
    fingerprints: (of: string) =>
      read(`alerts of ${of}`, [...new Set(rows.events.filter((one) => one.key === of).map((one) => one.fingerprint))]),
    events: (of: string) =>
      read(
        `events of ${of}`,
        rows.events.filter((one) => one.fingerprint === of),
      ),
    incidents: (of: string) => read(`incidents of ${of}`, rows.incidents),
    act: (id: string) => rows.acts.find((one) => one.act_id === id),
    acts: (id: string) =>
      read(
        `acts of ${id}`,
        rows.acts.filter((one) => one.incident_id === id),
      ),
  };
  const memory = new Memory({ reads: { group: groupReading(reads) } });
  const shown = async (now = 100, of = key): Promise<string> => {
    await memory.load(of);
    return memory
      .fold(of, [], now * 1000)
      .incidents.map(({ state, starts_ms, ends_ms, severity }) =>
        [state, starts_ms / 1000, ends_ms === undefined ? '' : ends_ms / 1000, severity].join(' ').trim(),
      )
      .join(', ');
  };
  return { memory, rows, asked, shown };
}

const ends = (at: number): AlertEvent => event(at, { state: 'resolved' });
const mine = { incident_id: 'inc_1' };
const record = (incident_id: string, title = 't'): IncidentRecord =>
  ({ incident_id, key, shown: { title } }) as IncidentRecord;

describe('the memory of incidents', () => {
  it('reads a key once, and goes on with what it takes', async () => {
    const { memory, rows, asked, shown } = opened([event(0)]);
    expect([await shown(), await shown()]).to.deep.equal(['open 0  high', 'open 0  high']);
    memory.take([ends(9)], []);
    expect(await shown()).to.equal('resolved 0 9 high');
    rows.events.push(event(20, { fingerprint: 'g' }));
    memory.take([event(20, { fingerprint: 'g' })], []);
    expect(await shown()).to.equal('resolved 0 9 high, open 20  high');
    expect(asked).to.deep.equal([`alerts of ${key}`, `incidents of ${key}`, 'events of f', 'events of g']);
  });

  it('forgets what is withdrawn, and reads its successors again', async () => {
    const { memory, rows, shown } = opened([event(0), event(5, { severity: 'critical' })]);
    expect(await shown()).to.equal('open 0  critical');
    memory.take([], ['sig_5']);
    expect(await shown()).to.equal('open 0  high');
    rows.events = [event(0), event(7, { severity: 'warning', act_id: 'act_8' })];
    rows.acts = [act('resolved', 8)];
    memory.take([event(7, { severity: 'warning' })], ['sig_6']);
    expect(await shown(), 'with the mark that only the row has').to.equal('resolved 0 8 high');
  });

  it('adds an event before its key was ever used, and drops it again', async () => {
    const { memory, shown } = opened();
    await memory.load(key, { fingerprints: ['f'] });
    memory.add(event(0));
    expect(await shown()).to.equal('open 0  high');
    memory.add(ends(9));
    expect(await shown()).to.equal('resolved 0 9 high');
    memory.drop(key);
    expect(await shown()).to.equal('');
  });

  it('folds a key by its own episodes alone', async () => {
    const { shown } = opened([event(0), event(5, { key: 'weak:f', eligible: false })]);
    expect([await shown(), await shown(100, 'weak:f')]).to.deep.equal(['open 0  high', 'open 5  high']);
  });

  it('is due when an episode or an incident is, whichever is first', async () => {
    const due = async (events: readonly AlertEvent[], now: number): Promise<number | undefined> => {
      const { memory } = opened(events);
      await memory.load(key);
      return memory.fold(key, [], now * 1000).due_ms;
    };
    const held = { hold_s: 60 };
    const expiring = event(1, { fingerprint: 'g', key }, { ttl_s: 200 });
    expect(await due([event(0)], 9)).to.equal(undefined);
    expect(await due([event(0, {}, held), ends(9)], 9)).to.equal(69_000);
    expect(await due([expiring], 9)).to.equal(201_000);
  });

  it('folds an alert again when its time has come', async () => {
    const { shown } = opened([event(0, {}, { ttl_s: 60 })]);
    expect([await shown(59), await shown(60)]).to.deep.equal(['open 0  high', 'resolved 0 60 high']);
  });

  it('hears of an alert again: what goes on expires later, and only what has expired is folded again', async () => {
    const { memory, shown } = opened([event(0, { seen_ms: 0 }, { stale_after_s: 60 })]);
    const hear = (seconds: number, more: object = {}) =>
      memory.hear({ fingerprint: 'f', occurred_ms: 0, seen_ms: seconds * 1000, ...more });
    expect(hear(5), 'not in memory').to.equal(true);
    expect(await shown(59)).to.equal('open 0  high');
    expect(hear(50)).to.equal(false);
    expect(hear(20), 'no time goes back').to.equal(false);
    expect(hear(99, { occurred_ms: 1 }), 'of another time').to.equal(false);
    expect([await shown(60), await shown(109), await shown(110)]).to.deep.equal([
      'open 0  high',
      'open 0  high',
      'resolved 0 110 high',
    ]);
    expect(hear(200), 'it has expired').to.equal(true);
    expect(await shown(201)).to.equal('open 0  high');
  });

  it('keeps incidents by their id', async () => {
    const { memory, rows } = opened();
    rows.incidents.push(record('inc_1'));
    await memory.load(key);
    memory.keep(record('inc_2'));
    memory.keep(record('inc_1', 'now'));
    expect(memory.stored(key).map((one) => `${one.incident_id} ${one.shown.title}`)).to.deep.equal([
      'inc_1 now',
      'inc_2 t',
    ]);
  });

  it('assigns events, and knows the last moment of each incident', async () => {
    const { memory } = opened([event(3), event(9), event(5)]);
    await memory.load(key);
    expect(memory.lastMoment(key, 'inc_1')).to.equal(0);
    const assigned = ['sig_3', 'sig_5', 'sig_none'].map((event_id) => ({ event_id, fingerprint: 'f', ...mine }));
    memory.assign([...assigned, { event_id: 'sig_1', fingerprint: 'none', ...mine }]);
    expect(memory.lastMoment(key, 'inc_1')).to.equal(5000);
    const { incidents } = memory.fold(key, [], 0);
    expect(incidents[0]?.events.map(({ incident_id }) => incident_id)).to.deep.equal(['inc_1', 'inc_1', undefined]);
  });

  it('marks the events of an incident that a person resolves, and no others', async () => {
    const { memory, shown } = opened([event(0, mine), event(1, { fingerprint: 'g', incident_id: 'inc_2' })]);
    expect(await shown()).to.equal('open 0  high');
    memory.decide(key, act('resolved', 50));
    expect(await shown()).to.equal('resolved 0 50 high, open 1  high');
  });

  it('keeps the acknowledgement of a person, also when another incident takes over', async () => {
    const { memory, rows, shown } = opened([event(0, mine)], [act('acknowledged', 2), act('resolved', 3)]);
    expect(await shown()).to.equal('acknowledged 0  high');
    const fresh = opened([event(0, mine)]);
    await fresh.memory.load(key);
    fresh.memory.decide(key, act('acknowledged', 5));
    expect(await fresh.shown()).to.equal('acknowledged 0  high');
    rows.acts = rows.acts.map((one) => ({ ...one, incident_id: 'inc_2' }));
    memory.moveActs('inc_1', 'inc_2');
    memory.assign([{ event_id: 'sig_0', fingerprint: 'f', incident_id: 'inc_2' }]);
    expect(await shown()).to.equal('acknowledged 0  high');
    memory.assign([{ event_id: 'sig_0', fingerprint: 'f', incident_id: 'inc_3' }]);
    expect(await shown()).to.equal('open 0  high');
  });

  it('asks for no acts of what belongs to no incident', async () => {
    const { asked, shown } = opened([event(0)]);
    await shown();
    expect(asked.join()).to.not.include('acts of');
  });

  it('reads everything again after it was cleared', async () => {
    const { memory, rows, shown } = opened([event(0, { ...mine, act_id: 'act_9' })], [act('resolved', 9)]);
    expect(await shown()).to.equal('resolved 0 9 high');
    rows.acts = [act('resolved', 9, { at_ms: 7000 }), act('acknowledged', 1)];
    memory.drop(key);
    expect(await shown(), 'a decision stands').to.equal('resolved 0 9 high');
    memory.clear();
    expect(await shown()).to.equal('resolved 0 7 high');
    rows.acts = [];
    memory.clear();
    expect(await shown()).to.equal('open 0  high');
  });

  it('keeps the thousand keys that were used last', async () => {
    const { memory, asked } = opened();
    const use = async (index: number): Promise<void> => {
      await memory.load(`key ${index}`);
      memory.stored(`key ${index}`);
    };
    for (let index = 0; index < 1000; index++) await use(index);
    memory.trim();
    await use(0);
    expect(
      asked.filter((one) => one === 'incidents of key 0'),
      'at the limit',
    ).to.have.length(1);
    await use(1000);
    memory.trim();
    await use(0);
    await use(2);
    expect(asked.filter((one) => one === 'incidents of key 0')).to.have.length(1);
    expect(asked.filter((one) => one === 'incidents of key 2')).to.have.length(1);
    await use(1);
    expect(asked.filter((one) => one === 'incidents of key 1')).to.have.length(2);
  });
});
