import { expect } from 'chai';
import {
  complete,
  type DeliveryFacts,
  type Unnumbered,
} from '../../../../../plugins/ingestion/deliveries/queue/signal-from-draft.ts';
import type { Draft } from '../../../../../plugins/ingestion/sources/vendors/vendor.ts';

const received = Date.UTC(2026, 10, 20, 10);
const iso = (ms: number): string => new Date(ms).toISOString();

const delivery = {
  ...{ delivery_id: 'dlv_1', source_id: 'src_1', vendor: 'generic', delivery_key: 'k', received_at: iso(received) },
  ...{ method: 'POST', headers: {}, query: {}, digest: 'sha256:x', auth_strength: 'strong', auth_scheme: 'hmac' },
  test: false,
} as DeliveryFacts;

const plain: Draft = {
  ...{ type: 'orb.signal.alert', vendor_type: 'v', state: 'firing', title: 't', episode_key: 'e' },
};

const made = (draft: Partial<Draft> = {}, more: Partial<DeliveryFacts> = {}): Unnumbered =>
  complete({ ...plain, ...draft }, 3, { ...delivery, ...more }, { severity: 'high', version: 9 });

const x = (length: number): string => 'x'.repeat(length);

describe('a signal made from a draft', () => {
  it('has what the draft and the delivery say, and no member that neither says', () => {
    const { fingerprint, ...rest } = made();
    expect(fingerprint).to.match(/^[0-9a-f]{64}$/);
    expect(rest).to.deep.equal({
      ...{ delivery_id: 'dlv_1', source_id: 'src_1', delivery_key: 'k', ordinal: 3, type: 'orb.signal.alert' },
      ...{ vendor: 'generic', vendor_type: 'v', occurred_at: iso(received), received_at: iso(received) },
      ...{ state: 'firing', severity: 'high', title: 't', episode_key: 'e', labels: {}, annotations: {}, hints: [] },
      ...{ outsider_labels: false, auth_strength: 'strong', auth_scheme: 'hmac', body_digest: 'sha256:x' },
      ...{ incomplete: false, normalizer_version: 9, test: false },
    });
  });

  it('is one alert with its source, vendor and episode, whatever else it says', () => {
    const of = (draft: Partial<Draft>, more: Partial<DeliveryFacts> = {}): string => made(draft, more).fingerprint;
    const one = of({});
    expect(of({ state: 'resolved', title: 'other', severity: 'info', occurred_at: received - 1 })).to.equal(one);
    expect(
      new Set([one, of({ episode_key: 'f' }), of({}, { source_id: 'src_2' }), of({}, { vendor: 'github' })]).size,
    ).to.equal(4);
  });

  const times: readonly (readonly [string, number | undefined, number])[] = [
    ['the time of its receipt without one', undefined, received],
    ['its own time', received - 5000, received - 5000],
    ['a time five minutes ahead', received + 300_000, received + 300_000],
    ['no time that is further ahead', received + 300_001, received],
  ];
  for (const [name, occurred_at, expected] of times)
    it(`takes ${name}`, () => {
      expect(made({ occurred_at }).occurred_at).to.equal(iso(expected));
    });

  const severities: readonly (readonly [Partial<Draft>, string])[] = [
    [{ severity: 'critical', severity_text: 'low' }, 'critical'],
    [{ severity_text: 'low' }, 'info'],
    [{ severity_text: 'odd' }, 'high'],
    [{ severity_text: 'odd', state: 'info' }, 'info'],
    [{ severity_text: 'fatal', state: 'info' }, 'critical'],
  ];
  for (const [draft, expected] of severities)
    it(`has the severity ${expected} for ${JSON.stringify(draft)}`, () => {
      expect(made(draft).severity).to.equal(expected);
    });

  it('cuts what is too long', () => {
    const long = made({
      ...{ vendor_event_id: x(999), vendor_type: x(999), severity_text: x(999), title: x(999), summary: x(9999) },
      ...{ url: `http://${x(9999)}`, episode_key: x(999), hints: [{ name: 'service', value: x(999) }] },
      labels: { component: x(999) },
    });
    const { vendor_event_id, vendor_type, severity_text, title, summary, url, episode_key, hints } = long;
    const lengths = [vendor_event_id, vendor_type, severity_text, title, summary, url, episode_key].map(
      (one) => one?.length,
    );
    expect(lengths).to.deep.equal([200, 100, 64, 200, 2000, 2000, 500]);
    expect(hints.map(({ value }) => value.length)).to.deep.equal([200, 200]);
  });

  it('has no address but one of the web', () => {
    expect(made({ url: 'HTTPS://own/1' }).url).to.equal('HTTPS://own/1');
    for (const url of ['javascript:alert(1)', 'ftp://own', '//own', 'x http://own'])
      expect(made({ url })).to.not.have.property('url');
  });

  it('names a run by its label, if it is the id of one', () => {
    const run = `run_${'0'.repeat(26)}`;
    expect(made({ labels: { run_id: run } }).run_id).to.equal(run);
    for (const id of [`${run}0`, 'run_1', `run_${'I'.repeat(26)}`])
      expect(made({ labels: { run_id: id } })).to.not.have.property('run_id');
  });

  it('takes the trace of the event before that of the delivery', () => {
    const headers = { traceparent: 'of-delivery' };
    expect(made({ labels: { traceparent: 'of-event' } }, { headers }).traceparent).to.equal('of-event');
    expect(made({}, { headers }).traceparent).to.equal('of-delivery');
  });

  it('has the times, the value and the proof that are said', () => {
    const said = made(
      {
        starts_at: received - 2,
        ends_at: received - 1,
        value: 4,
        strength: 'url_token',
        incomplete: true,
        annotations: { a: 'b' },
      },
      { secret_version: 2, clock_skew_ms: 5 },
    );
    expect(said).to.deep.include({
      ...{ starts_at: iso(received - 2), ends_at: iso(received - 1), value: 4, auth_strength: 'url_token' },
      ...{ incomplete: true, secret_version: 2, clock_skew_ms: 5, annotations: { a: 'b' } },
    });
  });

  it('is a test when the event or the delivery is one', () => {
    expect([made({ test: true }).test, made({}, { test: true }).test, made({ test: false }).test]).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it('names subjects by hints, labels and the query', () => {
    const { hints } = made(
      { hints: [{ name: 'provider', value: 'p' }], labels: { orb: 'o', service: '', other: 'x' } },
      { query: { component: 'c', other: 'x' } },
    );
    expect(hints).to.deep.equal([
      { name: 'provider', value: 'p', origin: 'label', outsider: false },
      { name: 'orb', value: 'o', origin: 'label', outsider: false },
      { name: 'component', value: 'c', origin: 'query', outsider: true },
    ]);
  });

  it('says which names come from outsiders', () => {
    const { hints, outsider_labels } = made({
      hints: [{ name: 'provider', value: 'p' }],
      labels: { orb: 'o' },
      outsider: true,
    });
    expect([outsider_labels, ...hints.map(({ outsider }) => outsider)]).to.deep.equal([true, true, true]);
  });

  for (const [auth_strength, count] of [
    ['strong', 1],
    ['shared_secret', 1],
    ['url_token', 0],
    ['none', 0],
  ] as const)
    it(`lets the query of a delivery that is ${auth_strength} name ${count} subject`, () => {
      expect(made({}, { auth_strength, query: { component: 'c' } }).hints).to.have.length(count);
    });

  it('takes no inherited member for a label', () => {
    const query = Object.create({ component: 'c' }) as Record<string, string>;
    expect(made({}, { query }).hints).to.deep.equal([]);
  });

  it('is well-formed text', () => {
    const { summary, episode_key } = made({ summary: 'a\ud800', episode_key: 'b\udc00' });
    expect([summary, episode_key]).to.deep.equal(['a\ufffd', 'b\ufffd']);
  });
});
