import { expect } from 'chai';
import { episodesOf, type Episode } from '../../../../../plugins/ingestion/incidents/cluster/episode.ts';
import type { Act } from '../../../../../plugins/ingestion/incidents/model/record.ts';
import type { AlertEvent } from '../../../../../plugins/ingestion/incidents/model/event.ts';
import { act, event } from './events.ts';

interface Row {
  readonly name: string;
  readonly events: readonly AlertEvent[];
  readonly acts?: readonly Act[];
  /** Seconds at which it is looked at, and at which a delivery last said each of them. */
  readonly now?: number;
  readonly seen?: number;
  /** `<start>-<end> <peak>[ what else]`, in seconds. */
  readonly expected: readonly string[];
}

const ends = (at: number, more: Partial<AlertEvent> = {}): AlertEvent => event(at, { state: 'resolved', ...more });
const never = { auto_resolve: 'never' } as const;
const ttl = { ttl_s: 60 };
const stale = { stale_after_s: 60 };
const seenAt = (at: number, seen: number, more: Partial<AlertEvent> = {}): AlertEvent =>
  event(at, { seen_ms: seen * 1000, ...more }, stale);
const weak = { eligible: false, key: 'weak:f' } as const;

const rows: readonly Row[] = [
  {
    name: 'opens with a firing and ends with its resolution',
    events: [event(0), ends(30)],
    expected: ['0-30 high recovered'],
  },
  {
    name: 'ends when it is muted',
    events: [event(0), ends(30, { state: 'suppressed' })],
    expected: ['0-30 high suppressed'],
  },
  {
    name: 'opens again with the next firing',
    events: [event(0), ends(30), event(40)],
    expected: ['0-30 high recovered', '40- high'],
  },
  { name: 'goes on over a firing', events: [event(0), event(10), ends(30)], expected: ['0-30 high recovered'] },
  { name: 'does not open by a resolution', events: [ends(30)], expected: [] },
  { name: 'does not open without a key', events: [event(0, { key: '' })], expected: [] },
  { name: 'does not open below the least severity', events: [event(0, { severity: 'info' }), ends(9)], expected: [] },
  { name: 'opens at the least severity', events: [event(0, { severity: 'warning' })], expected: ['0- warning'] },
  {
    name: 'has the worst severity of its firings',
    events: [event(0), event(5, { severity: 'critical' }), event(9, { severity: 'debug' })],
    expected: ['0- critical'],
  },
  { name: 'is acknowledged', events: [event(0), event(5, { state: 'acknowledged' })], expected: ['0- high taken 5'] },
  {
    name: 'is acknowledged no more when it fires again',
    events: [event(0), event(5, { state: 'acknowledged' }), event(9)],
    expected: ['0- high'],
  },
  {
    name: 'stays acknowledged when it becomes unknown',
    events: [event(0), event(5, { state: 'acknowledged' }), event(9, { state: 'unknown' })],
    expected: ['0- high taken 5'],
  },
  { name: 'expires after its time to live', events: [event(0, {}, ttl)], now: 60, expected: ['0-60 high expired'] },
  { name: 'is due when it would expire', events: [event(0, {}, ttl)], now: 59, expected: ['0- high due 60'] },
  {
    name: 'lives on from its last firing',
    events: [event(0, {}, ttl), event(50, {}, ttl)],
    now: 70,
    expected: ['0- high due 110'],
  },
  {
    name: 'lives on from a firing at the end of its life',
    events: [event(0, {}, ttl), event(60, {}, ttl)],
    now: 70,
    expected: ['0- high due 120'],
  },
  {
    name: 'does not live on by an acknowledgement',
    events: [event(0, {}, ttl), event(50, { state: 'acknowledged' })],
    now: 70,
    expected: ['0-60 high expired taken 50'],
  },
  {
    name: 'opens again after it expired',
    events: [event(0, {}, ttl), event(61, {}, ttl)],
    now: 62,
    expected: ['0-60 high expired', '61- high due 121'],
  },
  {
    name: 'takes the time to live of its last firing',
    events: [event(0, {}, ttl), event(50)],
    now: 999,
    expected: ['0- high'],
  },
  {
    name: 'goes stale when nothing is heard of it',
    events: [event(0, {}, stale)],
    seen: 0,
    now: 60,
    expected: ['0-60 high expired'],
  },
  {
    name: 'goes stale after it was last seen',
    events: [event(0, {}, stale)],
    seen: 30,
    now: 89,
    expected: ['0- high due 90'],
  },
  {
    name: 'goes stale after it last fired, if it was seen before',
    events: [event(0, {}, stale), event(50, {}, stale)],
    seen: 30,
    now: 100,
    expected: ['0- high due 110'],
  },
  {
    name: 'has gone stale when it fires again long after it was seen',
    events: [seenAt(0, 30), seenAt(91, 91)],
    now: 92,
    expected: ['0-90 high expired', '91- high due 151'],
  },
  {
    name: 'goes on when it fires again before it goes stale',
    events: [seenAt(0, 30), seenAt(90, 90)],
    now: 92,
    expected: ['0- high due 150'],
  },
  {
    name: 'is kept from going stale by what is seen of it, not by what is seen of the next',
    events: [seenAt(0, 0), seenAt(50, 50), seenAt(500, 900)],
    now: 901,
    expected: ['0-110 high expired', '500- high due 960'],
  },
  {
    name: 'that went stale is no longer ended by its vendor',
    events: [seenAt(0, 0), ends(90, { seen_ms: 90_000 })],
    now: 99,
    expected: ['0-60 high expired'],
  },
  {
    name: 'goes on when a delivery says again that it has fired since then',
    events: [seenAt(0, 500)],
    now: 501,
    expected: ['0- high due 560'],
  },
  {
    name: 'that a person ended before it went stale opens again with the next firing',
    events: [seenAt(0, 0, { act_id: 'act_20' }), seenAt(500, 500)],
    acts: [act('resolved', 20)],
    now: 501,
    expected: ['0-20 high manual', '500- high due 560'],
  },
  {
    name: 'that a person retracted before it went stale opens again with the next firing',
    events: [seenAt(0, 0, { act_id: 'act_20' }), seenAt(500, 500)],
    acts: [act('retracted', 20)],
    now: 501,
    expected: ['0-60 high expired', '500- high due 560'],
  },
  { name: 'does not go stale when it was never seen', events: [event(0, {}, stale)], now: 999, expected: ['0- high'] },
  {
    name: 'ends by what comes first',
    events: [event(0, {}, { ...stale, ttl_s: 30 })],
    seen: 0,
    now: 20,
    expected: ['0- high due 30'],
  },
  {
    name: 'that only a person ends goes on',
    events: [event(0, {}, { ...never, ...ttl, ...stale }), ends(30)],
    seen: 0,
    now: 999,
    expected: ['0- high'],
  },
  {
    name: 'that only a person ends may be ended by its vendor after the person',
    events: [event(0, { act_id: 'act_20' }, never), ends(30), event(40)],
    acts: [act('acknowledged', 20)],
    expected: ['0-30 high recovered', '40- high'],
  },
  {
    name: 'that only a person ends is not ended at the very time of the decision',
    events: [event(0, { act_id: 'act_30' }, never), ends(30)],
    acts: [act('acknowledged', 30)],
    expected: ['0- high'],
  },
  {
    name: 'is ended by a person',
    events: [event(0, { act_id: 'act_20' }), ends(30)],
    acts: [act('resolved', 20)],
    expected: ['0-20 high manual'],
  },
  {
    name: 'that ended before a person ended it stays as it was',
    events: [event(0, { act_id: 'act_30' }), ends(30)],
    acts: [act('resolved', 30)],
    expected: ['0-30 high recovered'],
  },
  {
    name: 'takes no severity and no acknowledgement from after a person ended it',
    events: [
      event(0, { act_id: 'act_20' }),
      event(20, { severity: 'critical' }),
      event(25, { state: 'acknowledged' }),
      ends(30),
    ],
    acts: [act('resolved', 20)],
    expected: ['0-20 critical manual'],
  },
  {
    name: 'is described by what it was until a person ended it',
    events: [event(0, { act_id: 'act_20' }), event(21, { severity: 'critical' })],
    acts: [act('resolved', 20)],
    expected: ['0-20 high manual'],
  },
  {
    name: 'is retracted rather than resolved, whichever came first',
    events: [event(0, { act_id: 'act_20' }), event(5, { act_id: 'act_25' })],
    acts: [act('resolved', 20), act('retracted', 25)],
    expected: ['0- high'],
  },
  {
    name: 'is ended by the first decision',
    events: [event(0, { act_id: 'act_20' }), event(5, { act_id: 'act_25' })],
    acts: [act('resolved', 20), act('resolved', 25)],
    expected: ['0-20 high manual'],
  },
  { name: 'is not changed by a decision that is gone', events: [event(0, { act_id: 'act_1' })], expected: ['0- high'] },
  {
    name: 'of a weak proof is one of its own',
    events: [event(0), event(5, weak)],
    expected: ['0- high', '5- high weak'],
  },
  {
    name: 'of a weak proof is ended by a sure resolution',
    events: [event(0, weak), ends(9)],
    expected: ['0-9 high recovered weak'],
  },
  {
    name: 'of a sure proof is not ended by a weak resolution',
    events: [event(0), ends(9, weak)],
    expected: ['0- high'],
  },
  {
    name: 'of a weak proof is not kept by a sure firing',
    events: [event(0, { ...weak }, ttl), event(50, {}, ttl)],
    now: 70,
    expected: ['50- high due 110', '0-60 high expired weak'],
  },
];

function shown({ starts_ms, ends_ms, peak, ending, acknowledged_ms, due_ms, key }: Episode): string {
  const second = (ms: number | undefined): string => (ms === undefined ? '' : String(ms / 1000));
  return [
    `${second(starts_ms)}-${second(ends_ms)} ${peak}`,
    ...(ending === undefined ? [] : [ending]),
    ...(acknowledged_ms === undefined ? [] : [`taken ${second(acknowledged_ms)}`]),
    ...(due_ms === undefined ? [] : [`due ${second(due_ms)}`]),
    ...(key.startsWith('weak') ? ['weak'] : []),
  ].join(' ');
}

describe('an episode', () => {
  for (const { name, events, acts = [], now = 50, seen, expected } of rows)
    it(name, () => {
      const options = { now_ms: now * 1000, act: (id: string) => acts.find(({ act_id }) => act_id === id) };
      const all = seen === undefined ? events : events.map((one) => ({ ...one, seen_ms: seen * 1000 }));
      expect(episodesOf(all, options).map(shown)).to.deep.equal(expected);
      expect(episodesOf([...all].reverse(), options).map(shown), 'in reverse').to.deep.equal(expected);
    });

  it('has its severities from their times, its events in order, and the act of a person', () => {
    const decided = act('retracted', 20);
    const events = [event(0, { act_id: 'act_20' }), event(5, { severity: 'debug' }), event(6, { state: 'unknown' })];
    const [one] = episodesOf(events, { now_ms: 0, act: () => decided });
    expect(one?.severities).to.deep.equal([
      { from_ms: 0, severity: 'high' },
      { from_ms: 5000, severity: 'info' },
    ]);
    expect(one?.events).to.deep.equal(events);
    expect(one?.act).to.equal(decided);
    expect(one).to.include({ fingerprint: 'f', key: 'scope:k' });
  });

  it('expires no more once it has ended', () => {
    const [one] = episodesOf([event(0, {}, ttl), ends(30)], { now_ms: 0, act: () => undefined });
    expect(one).to.not.have.property('due_ms');
  });
});
