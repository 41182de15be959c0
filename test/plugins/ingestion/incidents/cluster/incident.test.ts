import { expect } from 'chai';
import { clustersOf } from '../../../../../plugins/ingestion/incidents/cluster/cluster.ts';
import { incidentOf, type Desired } from '../../../../../plugins/ingestion/incidents/cluster/incident.ts';
import { episodesOf } from '../../../../../plugins/ingestion/incidents/cluster/episode.ts';
import type { Act } from '../../../../../plugins/ingestion/incidents/model/record.ts';
import type { AlertEvent } from '../../../../../plugins/ingestion/incidents/model/event.ts';
import { act, episode, event } from './events.ts';

interface Looked {
  /** Seconds at which it is looked at; 100 by default. */
  readonly now?: number;
  readonly acks?: readonly Act[];
  readonly acts?: readonly Act[];
}

/** Folds events to their only incident. */
function folded(events: readonly AlertEvent[], { now = 100, acks = [], acts = [] }: Looked = {}): Desired {
  const alerts = Map.groupBy(events, ({ fingerprint }) => fingerprint);
  const options = { now_ms: now * 1000, act: (id: string) => acts.find(({ act_id }) => act_id === id) };
  const [cluster] = clustersOf([...alerts.values()].flatMap((all) => episodesOf(all, options)));
  if (cluster === undefined) throw new Error('there is none');
  return incidentOf(cluster, now * 1000, acks);
}

const ends = (at: number, more: Partial<AlertEvent> = {}, own: object = {}): AlertEvent =>
  event(at, { state: 'resolved', ...more }, own);
const takes = (at: number): AlertEvent => event(at, { state: 'acknowledged' });
const other = { fingerprint: 'g' };
const hold = { hold_s: 60 };
const reopen = { reopen_window_s: 100 };
const from = (source_id: string, delivery_id = source_id, auth_strength: 'strong' | 'shared_secret' = 'strong') => ({
  delivery: { delivery_id, source_id, digest: 'sha256:x', auth_strength },
});

describe('the state of an incident', () => {
  const rows: readonly (readonly [string, Desired, object])[] = [
    ['is open', folded([event(0)]), { state: 'open', phase: 'investigating', starts_ms: 0, severity: 'high' }],
    [
      'is acknowledged by its vendor',
      folded([event(0), takes(5)]),
      { state: 'acknowledged', phase: 'identified', acknowledged_ms: 5000 },
    ],
    [
      'is acknowledged by a person, whoever else did',
      folded([event(0), takes(5)], { acks: [act('acknowledged', 7), act('acknowledged', 9, { principal: 'prn_2' })] }),
      { state: 'acknowledged', acknowledged_ms: 9000, principal: 'prn_2' },
    ],
    [
      'is held before it closes',
      folded([event(0, {}, hold), ends(50)], { now: 109 }),
      { state: 'open', phase: 'monitoring', due_ms: 110_000 },
    ],
    [
      'is over when it closes',
      folded([event(0, {}, hold), ends(50)], { now: 110 }),
      { state: 'resolved', phase: 'resolved', ends_ms: 50_000, ending: 'recovered' },
    ],
    [
      'is over by a person, who says why',
      folded([event(0, { act_id: 'act_5' }, hold)], { acts: [act('resolved', 5, { reason: 'fixed' })] }),
      { state: 'resolved', ends_ms: 5000, ending: 'manual', principal: 'prn_1', reason: 'fixed' },
    ],
    [
      'is over as a person said, though another alert ended at that time',
      folded([event(0, other), ends(5, other), event(1, { act_id: 'act_5' })], { acts: [act('resolved', 5)] }),
      { ending: 'manual' },
    ],
    [
      'is over as its last alert was',
      folded([event(0), ends(5), event(1, other), ends(9, { ...other, state: 'suppressed' })]),
      { ending: 'suppressed' },
    ],
    [
      'is acknowledged no more after it reopened',
      folded([event(0, {}, reopen), ends(10), event(50)], { acks: [act('acknowledged', 5)] }),
      { state: 'open', phase: 'investigating', reopened: 1 },
    ],
    [
      'is acknowledged again as it reopens',
      folded([event(0, {}, reopen), ends(10), event(50)], { acks: [act('acknowledged', 50)] }),
      { state: 'acknowledged', acknowledged_ms: 50_000 },
    ],
    [
      'stays acknowledged from before it began',
      folded([event(0)], { acks: [act('acknowledged', -5)] }),
      { state: 'acknowledged', acknowledged_ms: -5000 },
    ],
    [
      'is acknowledged by any alert that is still active',
      folded([event(0), event(1, other), event(5, { ...other, state: 'acknowledged' })]),
      { state: 'acknowledged', acknowledged_ms: 5000 },
    ],
    [
      'is not acknowledged by an alert that is over',
      folded([event(0), takes(5), ends(9), event(1, other)]),
      { state: 'open' },
    ],
    [
      'names its operator until it is taken up',
      folded([event(0, { principal: 'prn_9' })]),
      { state: 'open', principal: 'prn_9' },
    ],
  ];
  for (const [name, incident, expected] of rows)
    it(name, () => {
      expect(incident).to.deep.include(expected);
    });

  it('names nobody when its vendor took it up', () => {
    expect(folded([event(0, { principal: 'prn_9' }), takes(5)])).to.not.have.property('principal');
  });

  it('names no person when it ended by itself', () => {
    const one = folded([event(0, { act_id: 'act_5' }), ends(3)], { acts: [act('resolved', 5, { reason: 'fixed' })] });
    expect(one).to.include({ ending: 'recovered' }).and.not.have.any.keys('principal', 'reason');
  });

  it('has no time that is due once it is over', () => {
    expect(folded([event(0), ends(5)])).to.not.have.property('due_ms');
  });
});

describe('an incident', () => {
  const kinds = {
    'scope:a': 'alerts',
    'weak:f': 'weak',
    'measured:a': 'measured',
    'receipt:a': 'integrity',
    'operator:a': 'operator',
  };
  for (const [key, kind] of Object.entries(kinds))
    it(`of the key ${key} is of the kind ${kind}`, () => {
      expect(folded([event(0, { key })]).kind).to.equal(kind);
    });

  it('of a receipt says so', () => {
    const one = folded([event(0, { key: 'receipt:a', receipt_id: 'rec_1' })]);
    expect(one).to.include({ reason: 'integrity', receipt_id: 'rec_1' });
    expect(folded([event(0)])).to.not.have.any.keys('receipt_id', 'reason', 'retraction');
  });

  it('that a person retracts says by whom', () => {
    const retraction = act('retracted', 5);
    expect(folded([event(0, { act_id: 'act_5' })], { acts: [retraction] }).retraction).to.equal(retraction);
    expect(folded([event(0, { act_id: 'act_5' })], { acts: [act('resolved', 5)] })).to.not.have.property('retraction');
  });

  it('has the worst severity, the first title and subjects, and all events', () => {
    const scope = [{ kind: 'provider', id: 'p' }] as const;
    const events = [event(0, { scope }), event(1, { ...other, severity: 'critical' })];
    const one = folded(events);
    expect(one).to.deep.include({ severity: 'critical', title: 'at 0', scope, events, flapping: false, reopened: 0 });
  });

  it('is corroborated by two sources of alerts', () => {
    const two = [event(0, from('a')), event(1, { ...other, ...from('b') })];
    const same = [event(0, from('a', 'd1')), event(1, { ...other, ...from('a', 'd2') })];
    const measured = two.map((one) => ({ ...one, key: 'measured:a' }));
    expect([two, same, measured].map((events) => folded(events).corroborated)).to.deep.equal([true, false, false]);
  });

  it('needs an episode with an event', () => {
    for (const episodes of [[], [episode(0, 1, { events: [] })]])
      expect(() => incidentOf({ episodes, spans: [], reopened: 0, flapping: false }, 0, [])).to.throw(/has an episode/);
  });
});

describe('the deliveries of an incident', () => {
  const listed = (events: readonly AlertEvent[], looked?: Looked): string =>
    folded(events, looked)
      .deliveries.map(({ delivery_id }) => delivery_id.replace('dlv_', ''))
      .join(' ');
  const weak = (at: number, more: Partial<AlertEvent> = {}): AlertEvent =>
    event(at, { eligible: false, key: 'weak:f', ...more });
  const critical = { severity: 'critical' } as const;
  const rows: readonly (readonly [string, string, string])[] = [
    ['that opened it', listed([event(0), event(1)]), '0'],
    ['that made it worse', listed([event(0), event(1, critical), event(2, critical)]), '0 1'],
    ['that made it worse before it was better', listed([event(0, critical), event(1), event(2, critical)]), '0'],
    ['not a resolution that says it is worse', listed([event(0, {}, hold), ends(90, critical)]), '0'],
    ['that took it up, once', listed([event(0), takes(1), takes(2)]), '0 1'],
    ['that ended it, once it is over', listed([event(0), ends(1)]), '0 1'],
    ['that muted it, once it is over', listed([event(0), ends(1, { state: 'suppressed' })]), '0 1'],
    ['not that ended it, as long as it is held', listed([event(0, {}, hold), ends(90)]), '0'],
    [
      'not a firing at the time at which a person ended it',
      listed([event(0, { act_id: 'act_5' }), event(5)], { acts: [act('resolved', 5)] }),
      '0',
    ],
    [
      'not a resolution that did not end it',
      listed([event(0, { act_id: 'act_5' }, { auto_resolve: 'never' }), ends(3)], { acts: [act('resolved', 5)] }),
      '0',
    ],
    ['not that informed', listed([event(0), event(1, { state: 'unknown' }), ends(2)]), '0 2'],
    [
      'one of each strength',
      listed([event(0), event(1, from('a', 'x', 'shared_secret')), event(2, from('a', 'y', 'shared_secret'))]),
      '0 x',
    ],
    ['of each alert', listed([event(0), event(1, other)]), '0 1'],
    ['of sure proof alone', listed([event(0), weak(1, { delivery: from('a').delivery })]), '0'],
    ['of weak proof alone', listed([weak(0), ends(1)]), '0'],
    [
      'none after a person ended it',
      listed([event(0, { act_id: 'act_5' }), event(6, critical)], { acts: [act('resolved', 5)] }),
      '0',
    ],
    [
      'one at the time at which a person ended it',
      listed([event(0, { act_id: 'act_5' }), event(5, critical)], { acts: [act('resolved', 5)] }),
      '0 5',
    ],
  ];
  for (const [name, found, expected] of rows)
    it(`are those ${name}`, () => {
      expect(found).to.equal(expected);
    });

  it('are none of an operator', () => {
    const { delivery: _, ...own } = event(0);
    expect(folded([own]).deliveries).to.deep.equal([]);
  });
});

describe('the stretches of an incident', () => {
  const second = (ms: number | undefined): string => (ms === undefined ? '' : String(ms / 1000));
  const shown = (events: readonly AlertEvent[], looked?: Looked): string =>
    folded(events, looked)
      .stretches.map(({ from_ms, to_ms, severity }) => `${second(from_ms)}-${second(to_ms)} ${severity}`)
      .join(', ');
  const critical = { severity: 'critical' } as const;
  const rows: readonly (readonly [string, string, string])[] = [
    ['one of an open alert', shown([event(0)]), '0- high'],
    ['one of an alert that is over', shown([event(0), ends(9)]), '0-9 high'],
    ['one per severity', shown([event(0), event(5, critical), event(7), ends(9)]), '0-5 high, 5-7 critical, 7-9 high'],
    ['one while the severity stays', shown([event(0), event(5), ends(9)]), '0-9 high'],
    [
      'of the worst of several alerts',
      shown([event(0), event(2, { ...other, ...critical }), ends(4, other), ends(9)]),
      '0-2 high, 2-4 critical, 4-9 high',
    ],
    ['of the worst of open alerts', shown([event(0), event(2, { ...other, ...critical })]), '0-2 high, 2- critical'],
    [
      'one though two alerts have the severity',
      shown([event(0), event(2, other), ends(4), ends(9, other)]),
      '0-9 high',
    ],
    ['one over a gap that is held', shown([event(0, {}, hold), ends(10), event(20, {}, hold), ends(30)]), '0-30 high'],
    [
      'as bad in a gap as before it',
      shown([event(0, {}, hold), ends(10), event(20, critical, hold), ends(30)]),
      '0-20 high, 20-30 critical',
    ],
    ['two when it reopens', shown([event(0, {}, reopen), ends(10), event(50, {}, reopen)]), '0-10 high, 50- high'],
  ];
  for (const [name, found, expected] of rows)
    it(`are ${name}`, () => {
      expect(found).to.equal(expected);
    });

  it('begin where the incident does, though an alert began before', () => {
    const late = episode(0, 30, {
      severities: [
        { from_ms: 0, severity: 'high' },
        { from_ms: 5000, severity: 'critical' },
      ],
    });
    const [cluster] = clustersOf([{ ...late, starts_ms: 10_000 }]);
    const { stretches } = incidentOf(cluster ?? { episodes: [], spans: [], reopened: 0, flapping: false }, 0, []);
    expect(stretches).to.deep.equal([{ from_ms: 10_000, to_ms: 30_000, severity: 'critical' }]);
  });
});
