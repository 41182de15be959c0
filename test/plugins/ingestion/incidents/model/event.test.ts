import { expect } from 'chai';
import {
  eventOf,
  inOrder,
  ownEvent,
  saysSame,
  type AlertEvent,
} from '../../../../../plugins/ingestion/incidents/model/event.ts';
import type { Signal } from '../../../../../plugins/ingestion/signals/signal.ts';
import type { Mapped } from '../../../../../plugins/ingestion/incidents/model/subject.ts';
import { signalOf, sourceOf } from '../bench.ts';
import { event, policy } from '../cluster/events.ts';

const signal = signalOf(sourceOf('one'), { at: 0 });
const mail = [{ kind: 'provider', id: 'smtp-main' }] as const;
const mapped = { scope: mail, rule: 'label', outsider: false } as Mapped;
const made = (more: Partial<Signal> = {}, found: Partial<Mapped> = {}): AlertEvent =>
  eventOf({ ...signal, ...more }, { ...mapped, ...found }, policy);
const ahead = (ms: number): string => new Date(Date.parse(signal.received_at) + ms).toISOString();

describe('the event of a signal', () => {
  it('says what the signal says', () => {
    expect(made({ url: 'https://own/1', severity: 'warning', ordinal: 4 })).to.deep.equal({
      ...{ event_id: signal.signal_id, fingerprint: signal.fingerprint, occurred_ms: Date.parse(signal.occurred_at) },
      ...{
        delivery_key: signal.delivery_key,
        ordinal: 4,
        state: 'firing',
        severity: 'warning',
        eligible: true,
        policy,
      },
      ...{ scope: mail, rule: 'label', vendor: 'generic', title: signal.title, url: 'https://own/1' },
      key: 'scope:[{"id":"smtp-main","kind":"provider"}]',
      delivery: {
        ...{ delivery_id: signal.delivery_id, source_id: signal.source_id, digest: signal.body_digest },
        auth_strength: 'strong',
      },
    });
    expect(made()).to.not.have.property('url');
  });

  const rows: readonly (readonly [string, Partial<Signal>, Partial<Mapped>, string])[] = [
    ['counts by a shared secret', { auth_strength: 'shared_secret' }, {}, 'scope'],
    ['does not count by its address', { auth_strength: 'url_token' }, {}, 'weak'],
    ['does not count without a proof', { auth_strength: 'none' }, {}, 'weak'],
    ['does not count when an outsider named its subject', {}, { outsider: true }, 'weak'],
    ['opens nothing as a test', { test: true }, {}, ''],
    ['opens nothing without a subject', {}, { scope: [] }, ''],
  ];
  for (const [name, more, found, key] of rows)
    it(name, () => {
      const one = made(more, found);
      expect(one.key.split(':')[0]).to.equal(key);
      expect(one.eligible).to.equal(key === 'scope' || found.scope !== undefined);
      if (key !== 'scope') expect(one.scope).to.deep.equal([]);
      if (key === 'weak') expect(one.key).to.equal(`weak:${signal.fingerprint}`);
    });

  it('has its own time, unless the clock of its sender is more than ten minutes ahead', () => {
    const received = Date.parse(signal.received_at);
    expect(made({ occurred_at: ahead(600_000) }).occurred_ms).to.equal(received + 600_000);
    expect(made({ occurred_at: ahead(600_001) }).occurred_ms).to.equal(received);
    expect(made({ occurred_at: ahead(-9) }).occurred_ms).to.equal(received - 9);
  });
});

describe('an event without a delivery', () => {
  it('counts, and holds until its author ends it', () => {
    const { event_id: _, delivery_key: __, ordinal: ___, eligible: ____, policy: _____, delivery, ...rest } = event(0);
    expect(delivery).to.be.an('object');
    const one = ownEvent(() => 'sig_own', rest, 30);
    expect(one).to.deep.include({ event_id: 'sig_own', delivery_key: 'sig_own', ordinal: 0, eligible: true });
    expect(one.policy).to.deep.equal({
      ...{ default_severity: 'high', min_severity: 'info', auto_resolve: 'all' },
      ...{ for_s: 0, hold_s: 30, reopen_window_s: 0 },
    });
    expect(ownEvent(() => 'sig_own', rest).policy.hold_s).to.equal(0);
  });
});

describe('the order of events', () => {
  const said = (at: number, state: AlertEvent['state'], severity: AlertEvent['severity']): AlertEvent =>
    event(at, { state, severity, delivery_key: 'any' });
  const { delivery: _, ...own } = event(6);
  const orders: Readonly<Record<string, readonly AlertEvent[]>> = {
    'is that of time, delivery, position and id': [
      event(1, { delivery_key: 'z', ordinal: 9, event_id: 'z' }),
      event(2, { delivery_key: 'a', ordinal: 9, event_id: 'z' }),
      event(2, { delivery_key: 'b', ordinal: 1, event_id: 'z' }),
      event(2, { delivery_key: 'b', ordinal: 2, event_id: 'a' }),
      event(2, { delivery_key: 'b', ordinal: 2, event_id: 'b' }),
    ],
    'is, at one time, that of what they say': [
      event(3, { delivery_key: 'z' }),
      { ...said(4, 'firing', 'debug'), delivery_key: 'z' },
      ...(['info', 'warning', 'high', 'critical'] as const).map((severity) => said(4, 'firing', severity)),
      ...(['unknown', 'acknowledged', 'suppressed', 'resolved'] as const).map((state) => said(4, state, 'info')),
      event(5, { delivery_key: 'a' }),
    ],
    'is that in which they were made, of those without a delivery': [
      { ...own, state: 'resolved', delivery_key: 'a' },
      { ...own, state: 'firing', delivery_key: 'b' },
    ],
  };
  for (const [name, ordered] of Object.entries(orders))
    it(name, () => {
      expect([...ordered].reverse().sort(inOrder)).to.deep.equal(ordered);
      for (const [index, one] of ordered.entries())
        for (const [other, two] of ordered.entries())
          expect(Math.sign(inOrder(one, two)), `${index} ${other}`).to.equal(Math.sign(index - other));
    });
});

describe('what two events say', () => {
  const one = event(0, { seen_ms: 0 });
  const same = event(0, { seen_ms: 9, event_id: 'sig_9', title: 'CPU at 93 %', delivery_key: 'z', ordinal: 9 });
  const strength = (auth_strength: 'strong' | 'shared_secret') => ({
    delivery: { delivery_id: 'dlv_9', source_id: 'src_1', digest: 'sha256:y', auth_strength },
  });

  it('is the same, whichever delivery says it, by which title and when', () => {
    expect(saysSame(one, { ...same, ...strength('strong'), incident_id: 'inc_1' })).to.equal(true);
  });

  const others: Readonly<Record<string, Partial<AlertEvent>>> = {
    alert: { fingerprint: 'g' },
    time: { occurred_ms: 1 },
    state: { state: 'unknown' },
    severity: { severity: 'critical' },
    eligibility: { eligible: false },
    key: { key: 'scope:l' },
    strength: strength('shared_secret'),
    policy: { policy: { ...policy, ttl_s: 9 } },
  };
  for (const [name, more] of Object.entries(others))
    it(`is not, of another ${name}`, () => {
      expect(saysSame(one, { ...same, ...more })).to.equal(false);
    });
});
