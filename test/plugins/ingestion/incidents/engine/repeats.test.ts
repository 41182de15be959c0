import { expect } from 'chai';
import { newOf, withStandIns } from '../../../../../plugins/ingestion/incidents/engine/repeats.ts';
import type { AlertEvent } from '../../../../../plugins/ingestion/incidents/model/event.ts';
import type { Signal } from '../../../../../plugins/ingestion/signals/signal.ts';
import { noon, openBench, signalOf, sourceOf, type Bench, type Said } from '../bench.ts';
import { event } from '../cluster/events.ts';

const source = sourceOf('alertmanager', { stale_after_s: 3600, hold_s: 0 });

/** What a delivery says of an alert; `by`: which delivery, which arrives that many minutes after noon. */
const told = (by: number, said: Partial<Said> = {}): Signal => {
  const { alert = 'a', at = 0, state = 'firing' } = said;
  const signal = signalOf(source, { ...said, at, key: `${by} ${alert} ${at} ${state} ${said.severity ?? ''}` });
  return { ...signal, received_at: new Date(noon + by * 60_000).toISOString() };
};

describe('what is new of what is said', () => {
  const said = (at: number, seen: number, more: Partial<AlertEvent> = {}): AlertEvent =>
    event(at, { event_id: `sig_${at}/${seen}`, seen_ms: seen, ...more });
  const over = { state: 'resolved' } as const;
  interface Row {
    readonly name: string;
    readonly said: readonly AlertEvent[];
    readonly known?: readonly AlertEvent[];
    /** `<event id> <seen>` of new ones, `<occurred> <seen>` of those that were named again. */
    readonly expected: readonly string[];
  }
  const rows: readonly Row[] = [
    { name: 'is an event that is not known', said: [said(1, 1)], expected: ['sig_1/1 1'] },
    { name: 'is not one that is', said: [said(1, 9)], known: [said(1, 1)], expected: ['1000 9'] },
    {
      name: 'is one that says something else',
      said: [said(1, 9, { severity: 'critical' })],
      known: [said(1, 1)],
      expected: ['sig_1/9 9'],
    },
    { name: 'is one of those that come together', said: [said(1, 9), said(1, 7)], expected: ['sig_1/9 9'] },
    { name: 'was seen with the last of them', said: [said(1, 7), said(1, 9)], expected: ['sig_1/7 9'] },
    {
      name: 'is named again before the alert begins again, not after',
      said: [said(1, 5), said(8, 8), said(1, 9)],
      known: [said(1, 1)],
      expected: ['sig_8/8 8', '1000 5'],
    },
    {
      name: 'is not seen with what came after its end',
      said: [said(1, 5), said(8, 8, over), said(1, 9)],
      expected: ['sig_1/5 5', 'sig_8/8 8'],
    },
  ];
  for (const { name, said: all, known = [], expected } of rows)
    it(name, () => {
      const { events, heard } = newOf(all, known);
      const fresh = events.map(({ event_id, seen_ms }) => `${event_id} ${seen_ms}`);
      expect([...fresh, ...heard.map((one) => `${one.occurred_ms} ${one.seen_ms}`)]).to.deep.equal(expected);
    });
});

describe('an alert that is repeated', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  const events = (): readonly AlertEvent[] => bench.reads.events(told(0).fingerprint);
  const shown = (): readonly string[] => bench.live().map(({ facts }) => `${facts.state} ${facts.severity}`);
  const tick = (minutes: number): Promise<void> => bench.tick(noon + minutes * 60_000);

  it('is one event, whatever number of deliveries repeat it beside one that changes', async () => {
    const long = Array.from({ length: 20 }, (_, n) => ({ alert: `long ${n}`, severity: 'warning' }) as const);
    for (let by = 0; by < 50; by++) {
      await tick(by);
      const flap = told(by, { alert: 'flap', at: (by - (by % 2)) * 60, state: by % 2 === 0 ? 'firing' : 'resolved' });
      await bench.deliver(source, [...long.map((said) => told(by, said)), flap]);
    }
    expect(bench.reads.eventsOf(bench.live()[0]?.incident_id ?? '')).to.have.length(20 + 50);
    bench = await bench.restart();
    await tick(49 + 60 - 1);
    expect(shown()).to.deep.equal(['open critical']);
    await tick(49 + 60);
    expect(shown(), 'it was last said at minute 49').to.deep.equal(['resolved critical']);
  });

  it('leaves the same incident in any order, with the worst of what is said of one time', async () => {
    const said = [told(0, { severity: 'high' }), told(1, { severity: 'critical' }), told(2, { severity: 'high' })];
    for (const order of [said, said.toReversed()]) {
      const other = await openBench();
      for (const signal of order) await other.deliver(source, [signal]);
      expect(other.live()[0]?.shown.stretches.map(({ severity }) => severity)).to.deep.equal(['critical']);
      expect(other.reads.events(said[0]?.fingerprint ?? '')).to.have.length(2);
      await other.close();
    }
  });

  it('is prolonged by nobody who repeats what was before it began again', async () => {
    await bench.deliver(source, [told(0)]);
    await tick(60);
    await bench.deliver(source, [told(600, { at: 600 * 60 })]);
    await tick(601);
    await bench.deliver(source, [told(601)]);
    await bench.side.sink.refreshed({ delivery_id: told(0).delivery_id, source_id: source.source_id, at: '' });
    await bench.side.look();
    const ends = () => bench.live().map(({ facts }) => facts.ends_at ?? 'open');
    expect(ends()).to.have.members([new Date(noon + 3_600_000).toISOString(), 'open']);
    bench = await bench.restart();
    await bench.deliver(source, [told(602, { at: 600 * 60 })]);
    expect(ends()).to.have.members([new Date(noon + 3_600_000).toISOString(), 'open']);
  });

  it('is still said by the others when the delivery that has its event says it no longer', async () => {
    await bench.deliver(source, [told(0)]);
    await bench.deliver(source, [told(20)]);
    await bench.deliver(source, [told(30)]);
    const [incident] = bench.live();
    const change = (by: number, withdrawn: string, severity?: 'warning') =>
      bench.deliver(
        source,
        severity === undefined ? [] : [{ ...told(by, { severity }), received_at: told(by).received_at }],
        [withdrawn],
      );
    await change(0, told(0).signal_id, 'warning');
    expect(events().map(({ event_id }) => event_id)).to.include(told(20).signal_id);
    expect(shown()).to.deep.equal(['open critical']);
    await change(20, told(20).signal_id, 'warning');
    await change(30, told(30).signal_id);
    expect(events().map(({ severity, seen_ms }) => [severity, seen_ms])).to.deep.equal([
      ['warning', noon + 20 * 60_000],
    ]);
    expect(bench.live()[0]?.incident_id).to.equal(incident?.incident_id);
    expect(shown()).to.deep.equal(['open warning']);
  });

  it('stays as a person left it when another delivery has its event', async () => {
    const decided = { incident_id: 'inc_1', act_id: 'act_1', seen_ms: 9 };
    const gone = event(0, { event_id: told(0).signal_id, severity: 'critical', url: 'https://a/', ...decided });
    const recorded = { signalsAt: () => [[told(0), { ...told(1), test: true }, told(2), told(3)]] };
    const withdrawn = new Set([told(0).signal_id]);
    const known = [event(0, { event_id: told(2).signal_id, policy: { ...gone.policy, ttl_s: 1 } })];
    const [heir, ...others] = await withStandIns([], { gone: [gone], known, recorded, withdrawn });
    expect(heir).to.include({ event_id: told(3).signal_id, title: 'a is firing', ...decided });
    expect(heir?.delivery).to.include({ delivery_id: told(3).delivery_id, source_id: source.source_id });
    expect(heir).to.not.have.property('url');
    expect(others).to.deep.equal([]);
  });
});
