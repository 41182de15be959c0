import { expect } from 'chai';
import { cloudevents } from '../../../../../plugins/ingestion/sources/vendors/cloudevents.ts';
import { vendors } from '../../../../../plugins/ingestion/sources/vendor-list.ts';
import { arrivalOf, decoded, draftsOf, itReads, itRefuses, keyOf, pasted } from './drafts.ts';

const binary = {
  'ce-specversion': '1.0',
  'ce-id': 'e%201',
  'ce-source': '/disk',
  'ce-type': 'full',
  'ce-own': '100%',
  'ce-nul': 'a%00',
};
const event = { specversion: '1.0', id: 'e1', source: '/disk', type: 'full', time: '2026-11-20T10:00:00Z' };
const data = {
  id: 'd1',
  state: 'firing',
  severity: 'high',
  title: 'Disk is full',
  url: 'https://own/1',
  labels: { a: 'b' },
};

describe('CloudEvents', () => {
  itReads('cloudevents', [
    {
      name: 'reads an event with an alert as its data',
      payload: { ...event, subject: 's', data },
      expected: {
        ...{
          type: 'orb.signal.alert',
          vendor_event_id: 'e1',
          vendor_type: 'full',
          state: 'firing',
          labels: { a: 'b' },
        },
        ...{
          occurred_at: Date.UTC(2026, 10, 20, 10),
          severity_text: 'high',
          title: 'Disk is full',
          episode_key: 'episode:d1',
        },
      },
    },
    {
      name: 'names an event without a title by its subject',
      payload: { ...event, subject: 's' },
      expected: { title: 'full: s', episode_key: 'event:/disk:s' },
    },
    {
      name: 'names an event without a subject by its type',
      payload: event,
      expected: { title: 'full', episode_key: 'event:/disk:full' },
    },
    {
      name: 'knows an event without a source by its type',
      payload: { id: 'e1', type: 'full' },
      expected: { episode_key: 'event::full' },
    },
    {
      name: 'takes the time of an event whose own field of the time says nothing',
      payload: { ...event, data: {} },
      map: { time: '/data/at' },
      expected: { occurred_at: Date.UTC(2026, 10, 20, 10) },
    },
    {
      name: 'takes the own field of the time first',
      payload: { ...event, data: { at: '2026-11-20T11:00:00Z' } },
      map: { time: '/data/at' },
      expected: { occurred_at: Date.UTC(2026, 10, 20, 11) },
    },
    {
      name: 'knows an alert by an own field',
      payload: { ...event, data: { key: 'k' } },
      map: { episode: '/data/key' },
      expected: { episode_key: 'episode:k' },
    },
    {
      name: 'joins labels of an own field with those of the alert, its own first',
      payload: { ...event, data, tags: { a: 'own', c: 'd' } },
      map: { labels: '/tags' },
      expected: { labels: { a: 'own', c: 'd' } },
    },
  ]);

  itRefuses('cloudevents', ['x', [{}], { id: 'e1' }, { type: 'full' }, [[]]]);

  it('reads every event of a batch', () => {
    const drafts = draftsOf('cloudevents', [event, { ...event, id: 'e2' }]);
    expect(drafts.map(({ vendor_event_id }) => vendor_event_id)).to.deep.equal(['e1', 'e2']);
  });

  it('knows a delivery by source and id, from the headers or the body', () => {
    expect(keyOf('cloudevents', event)).to.equal('/disk e1');
    expect(keyOf('cloudevents', event, binary)).to.equal('/disk e 1');
    const structured = { ...binary, 'content-type': 'Application/CloudEvents+json' };
    expect(keyOf('cloudevents', event, structured)).to.equal('/disk e1');
    expect(keyOf('cloudevents', { id: 'e1' })).to.equal(undefined);
    expect(keyOf('cloudevents', { source: '/disk' })).to.equal(undefined);
  });

  const attributes = { specversion: '1.0', id: 'e 1', source: '/disk', type: 'full', own: '100%', nul: 'a\ufffd' };
  const bodies: readonly (readonly [string, string | undefined, unknown])[] = [
    ['{"a":1}', undefined, { a: 1 }],
    ['{"a":1}', 'application/json; charset=utf-8', { a: 1 }],
    ['{"a":1}', 'TEXT/JSON', { a: 1 }],
    ['{"a":1}', 'application/vnd.own+json', { a: 1 }],
    ['{"a":1}', 'application/jsonish', undefined],
    ['<a/>', 'application/xml', undefined],
    ['', 'application/json', undefined],
  ];
  for (const [body, type, expected] of bodies)
    it(`reads ${JSON.stringify(body)} of the type ${type ?? 'that is not named'} in binary mode`, () => {
      const headers = { ...binary, 'x-other': '1', ...(type === undefined ? {} : { 'content-type': type }) };
      expect(decoded('cloudevents', arrivalOf(body, headers))).to.deep.equal({
        ...attributes,
        ...(expected === undefined ? {} : { data: expected }),
      });
    });

  it('reads the body alone in structured mode', () => {
    expect(decoded('cloudevents', arrivalOf('{"a":1}'))).to.deep.equal({ a: 1 });
    const headers = { ...binary, 'content-type': 'application/cloudevents-batch+json' };
    expect(decoded('cloudevents', arrivalOf('[]', headers))).to.deep.equal([]);
  });

  it('shows the header that presents the secret', () => {
    expect(pasted(cloudevents, 'Header', { scheme: 'header' })).to.equal('X-Orb-Token: s3cret');
    expect(pasted(cloudevents, 'Header', { scheme: 'header', header: 'X-Own' })).to.equal('X-Own: s3cret');
    expect(pasted(cloudevents, 'Header', { scheme: 'bearer' })).to.equal('Authorization: Bearer s3cret');
    expect(pasted(cloudevents, 'Header', { scheme: 'url' })).to.equal('');
  });
});

describe('Standard Webhooks', () => {
  const read = (headers: Readonly<Record<string, string>>) =>
    draftsOf('standard-webhooks', { type: 'full', timestamp: '2026-11-20T10:00:00Z', data }, headers)[0];

  it('reads an alert in its envelope', () => {
    expect(read({})).to.deep.include({
      ...{ type: 'orb.signal.alert', vendor_type: 'full', state: 'firing', title: 'Disk is full', labels: { a: 'b' } },
      ...{ occurred_at: Date.UTC(2026, 10, 20, 10), episode_key: 'episode:d1', vendor_event_id: undefined },
    });
  });

  it('knows a delivery by its id, under the older name, too', () => {
    const both = { 'webhook-id': 'w', 'svix-id': 's' };
    expect(keyOf('standard-webhooks', {}, both)).to.equal('w');
    expect(keyOf('standard-webhooks', {}, { 'svix-id': 's' })).to.equal('s');
    expect(read(both)?.vendor_event_id).to.equal('w');
    expect(read({ 'svix-id': 's' })?.vendor_event_id).to.equal('s');
  });

  itRefuses('standard-webhooks', [[], 'x']);

  it('has one way to prove itself', () => {
    expect(vendors['standard-webhooks'].schemes).to.deep.equal(['signature']);
  });
});
