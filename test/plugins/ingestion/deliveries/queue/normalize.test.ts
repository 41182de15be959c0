import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  normalize,
  storedOf,
  wireBytes,
  type Normalized,
  type Stored,
} from '../../../../../plugins/ingestion/deliveries/queue/normalize.ts';
import type { Delivery } from '../../../../../plugins/ingestion/deliveries/delivery.ts';
import type { StoredBody } from '../../../../../plugins/ingestion/deliveries/reading.ts';
import type { LiveSource } from '../../../../../plugins/ingestion/sources/registry.ts';

const text = '{"title":"t","state":"down","severity":"odd"}';
const kib = 1024;

function stored(form: StoredBody['form'], bytes: Uint8Array, more: object = {}): Stored {
  const delivery = {
    ...{ delivery_id: 'dlv_1', source_id: 'src_1', vendor: 'generic', delivery_key: 'k', headers: {}, query: {} },
    ...{ received_at: '2026-11-20T10:00:00.000Z', method: 'POST', auth_strength: 'strong', test: false, ...more },
  };
  const rest = { settings: { auth: { scheme: 'url' } }, default_severity: 'warning', size: 1, most_bytes: kib };
  return { delivery, body: { form, bytes: new Uint8Array(bytes) }, ...rest } as unknown as Stored;
}

const titles = (result: Normalized): readonly string[] =>
  'undecodable' in result ? [`${result.undecodable} ${result.version}`] : result.signals.map(({ title }) => title);

describe('a stored delivery', () => {
  const forms: readonly (readonly [string, Stored])[] = [
    ['as it was received', stored('raw', Buffer.from(text))],
    ['packed by us', stored('gzip', gzipSync(text))],
    ['packed by its sender', stored('raw', gzipSync(text), { headers: { 'content-encoding': 'gzip' } })],
    ['packed by both', stored('gzip', gzipSync(gzipSync(text)), { headers: { 'content-encoding': 'gzip' } })],
    [
      'reduced, whatever it was packed with',
      stored('reduced', Buffer.from(text), { headers: { 'content-encoding': 'gzip' } }),
    ],
  ];
  for (const [name, one] of forms)
    it(`becomes a signal ${name}`, async () => {
      expect(titles(await normalize(one))).to.deep.equal(['t']);
    });

  it('takes the severity of its source and the version of its vendor', async () => {
    const result = await normalize(stored('raw', Buffer.from(text)));
    expect('signals' in result && result.signals[0]).to.include({
      severity: 'warning',
      normalizer_version: 1,
      ordinal: 0,
    });
    expect(result.version).to.equal(1);
  });

  it('is decoded as its vendor says', async () => {
    const form = new URLSearchParams({ payload: '{"zen":"x"}' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-github-event': 'ping' };
    expect(titles(await normalize(stored('raw', Buffer.from(form), { vendor: 'github', headers })))).to.deep.equal([
      'ping',
    ]);
  });

  it('that cannot be read says why', async () => {
    expect(titles(await normalize(stored('raw', Buffer.from('{'))))).to.deep.equal(['malformed_json 1']);
    expect(titles(await normalize(stored('raw', Buffer.from('[]'))))).to.deep.equal(['unknown_shape 1']);
  });

  it('that could not be read when it arrived still says why', async () => {
    const one = stored('reduced', Buffer.from('"too_deep"'), { headers: { 'content-encoding': 'gzip' } });
    expect(titles(await normalize(one))).to.deep.equal(['too_deep 1']);
  });

  it('is not inflated beyond what its source takes', async () => {
    const large = gzipSync(JSON.stringify({ title: 'x'.repeat(kib) }));
    const one = stored('raw', large, { headers: { 'content-encoding': 'gzip' } });
    const thrown = await normalize(one).catch((error: unknown) => error);
    expect(String(thrown)).to.include('larger than 1024 bytes');
  });

  it('that meets a defect throws', async () => {
    const broken = { ...stored('raw', Buffer.from(text)), settings: undefined } as unknown as Stored;
    const thrown = await normalize(broken).catch((error: unknown) => error);
    expect(thrown).to.be.instanceOf(TypeError);
  });

  it('is restored as received, unless parts of it were removed', () => {
    expect(wireBytes({ form: 'reduced', bytes: new Uint8Array(Buffer.from(text)) })).to.equal(undefined);
    for (const [form, bytes] of [
      ['raw', Buffer.from(text)],
      ['gzip', gzipSync(text)],
    ] as const)
      expect(Buffer.from(wireBytes({ form, bytes: new Uint8Array(bytes) }) ?? []).toString()).to.equal(text);
  });
});

describe('the size of a delivery', () => {
  const source = { record: { vendor: 'generic' }, settings: {}, view: { policy: { default_severity: 'info' } } };
  const of = (size: number, headers: object = {}): Stored =>
    storedOf(source as unknown as LiveSource, { size, headers } as Delivery, { form: 'raw', bytes: new Uint8Array() });

  it('is that of its bytes, or the most to which it may inflate', () => {
    const packed = { 'content-encoding': 'gzip' };
    expect(of(5000).size).to.equal(5000);
    expect(of(5000, packed).size).to.equal(500_000);
    expect(of(50_000, packed).size).to.equal(kib * kib);
    expect(of(5000)).to.include({ default_severity: 'info', most_bytes: kib * kib });
  });
});
