import { expect } from 'chai';
import { generic } from '../../../../../plugins/ingestion/sources/vendors/generic.ts';
import { text } from '../../../../../plugins/ingestion/sources/vendors/read.ts';
import { stepsOf } from '../../../../../plugins/ingestion/sources/vendors/field-map.ts';
import type { AuthSettings } from '../../../../../plugins/ingestion/sources/settings/schema.ts';
import { draftsOf, itReads, itRefuses, keyOf } from './drafts.ts';

const event = {
  id: 'disk-1',
  type: 'disk',
  time: '2026-11-20T10:00:00Z',
  state: 'open',
  severity: 'high',
  title: 'Disk is full',
  url: 'https://own/1',
  labels: { host: 'a' },
};

describe('a generic sender', () => {
  itReads('generic', [
    {
      name: 'is read by the usual fields',
      payload: event,
      expected: {
        ...{
          type: 'orb.signal.alert',
          vendor_type: 'disk',
          state: 'firing',
          severity_text: 'high',
          labels: { host: 'a' },
        },
        ...{
          occurred_at: Date.UTC(2026, 10, 20, 10),
          title: 'Disk is full',
          url: 'https://own/1',
          episode_key: 'episode:disk-1',
        },
      },
    },
    {
      name: 'is read by its own fields before them',
      payload: {
        ...event,
        kind: 'k',
        at: '2026-11-20T11:00:00Z',
        what: 'w',
        who: 'e',
        how: 'OK',
        sev: 'low',
        where: 'https://own/2',
        tags: { b: 'c' },
      },
      map: {
        type: '/kind',
        time: '/at',
        title: '/what',
        episode: '/who',
        state: '/how',
        severity: '/sev',
        url: '/where',
        labels: '/tags',
      },
      expected: {
        ...{ vendor_type: 'k', title: 'w', episode_key: 'episode:e', state: 'resolved', severity_text: 'low' },
        ...{ occurred_at: Date.UTC(2026, 10, 20, 11), url: 'https://own/2', labels: { b: 'c' } },
      },
    },
    {
      name: 'tells a change without a state',
      payload: { type: 'deploy' },
      expected: { type: 'orb.signal.change', state: 'info', title: 'deploy', episode_key: 'episode:deploy' },
    },
    {
      name: 'may say nothing',
      payload: {},
      expected: { vendor_type: 'event', title: 'event', episode_key: 'episode:event' },
    },
    {
      name: 'is known by its title without an id',
      payload: { title: 't', type: 'k' },
      expected: { episode_key: 'episode:t' },
    },
    {
      name: 'may have words of its own, exactly',
      payload: { state: 'RED' },
      map: { states: { RED: 'acknowledged' } },
      expected: { state: 'acknowledged' },
    },
    {
      name: 'may change the meaning of a usual word',
      payload: { state: 'ok' },
      map: { states: { ok: 'suppressed' } },
      expected: { state: 'suppressed' },
    },
    {
      name: 'still has the usual words',
      payload: { state: 'Down' },
      map: { states: { RED: 'firing' } },
      expected: { state: 'firing' },
    },
    {
      name: 'informs by an unknown word',
      payload: { state: 'mauve' },
      expected: { type: 'orb.signal.alert', state: 'info' },
    },
  ]);

  for (const [word, state] of [
    ['alerting', 'firing'],
    ['ACKED', 'acknowledged'],
    ['Recovered', 'resolved'],
    ['silenced', 'suppressed'],
    ['no_data', 'unknown'],
  ] as const)
    it(`takes ${word} for ${state}`, () => {
      expect(draftsOf('generic', { state: word })[0]?.state).to.equal(state);
    });

  itRefuses('generic', [[], 'x', null]);

  it('is known by the header or the field that its source names', () => {
    const payload = { a: { b: 'field' } };
    const headers = { 'x-id': 'header' };
    expect(keyOf('generic', payload, headers)).to.equal(undefined);
    expect(keyOf('generic', payload, headers, { delivery_header: 'X-Id' })).to.equal('header');
    expect(keyOf('generic', payload, {}, { delivery_header: 'X-Id', delivery_pointer: '/a/b' })).to.equal(undefined);
    expect(keyOf('generic', payload, headers, { delivery_pointer: '/a/b' })).to.equal('field');
  });

  it('has pointers whose steps may contain a slash and a tilde', () => {
    expect(stepsOf('/a~1b/c~0d/~01')).to.deep.equal(['a/b', 'c~d', '~1']);
    expect(stepsOf('')).to.deep.equal([]);
    expect(text({ '': { '': 'x' } }, ...stepsOf(undefined))).to.equal(undefined);
    expect(draftsOf('generic', { '': { '': { '': 'x' } }, type: 'k' }, {}, { state: '/none' })[0]?.state).to.equal(
      'info',
    );
  });

  const ways: readonly (readonly [AuthSettings, string])[] = [
    [{ scheme: 'header' }, 'Present the secret by the header x-orb-token.'],
    [{ scheme: 'header', header: 'X-Own' }, 'Present the secret by the header X-Own.'],
    [{ scheme: 'basic' }, 'Present the secret by basic.'],
    [{ scheme: 'signature' }, 'Send HMAC-SHA256 of the body as hex in the header x-signature.'],
    [
      {
        scheme: 'signature',
        algorithm: 'sha512',
        encoding: 'base64',
        header: 'X-S',
        prefix: 'h=',
        timestamp_header: 'X-T',
      },
      'Send HMAC-SHA512 of <X-T>.<body> as base64 in the header X-S, after h=.',
    ],
  ];
  for (const [auth, expected] of ways)
    it(`is told: ${expected}`, () => {
      expect(generic.setup({ url: 'u', secret: 's', auth }).steps[0]).to.equal(expected);
    });
});
