import { expect } from 'chai';
import { datadog } from '../../../../../plugins/ingestion/sources/vendors/datadog.ts';
import { draftsOf, itReads, itRefuses, keyOf, pasted } from './drafts.ts';

const full = {
  id: '71',
  alert_id: '9',
  alert_cycle_key: 'cycle',
  aggreg_key: 'group',
  alert_transition: 'Triggered',
  alert_type: 'error',
  alert_priority: 'P2',
  event_type: 'query_alert_monitor',
  title: 'Memory',
  body: 'is short',
  date: '1763712000000',
  last_updated: '1763712060000',
  link: 'https://app.datadoghq.com/x',
};
const without = (...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(full).filter(([name]) => !names.includes(name)));

describe('Datadog', () => {
  itReads('datadog', [
    {
      name: 'reads a full payload',
      payload: full,
      expected: {
        ...{ type: 'orb.signal.alert', vendor_event_id: '71', vendor_type: 'query_alert_monitor', state: 'firing' },
        ...{ occurred_at: 1763712060000, severity_text: 'P2', severity: undefined, title: 'Memory' },
        ...{ summary: 'is short', url: 'https://app.datadoghq.com/x', episode_key: 'cycle', labels: {} },
      },
    },
    {
      name: 'takes the date of an event without an update',
      payload: without('last_updated'),
      expected: { occurred_at: 1763712000000 },
    },
    {
      name: 'takes a time with an exponent',
      payload: { ...full, last_updated: '1.76371206e12' },
      expected: { occurred_at: 1763712060000 },
    },
    {
      name: 'takes the type for the priority',
      payload: without('alert_priority'),
      expected: { severity_text: 'error' },
    },
    { name: 'takes the group for the cycle', payload: without('alert_cycle_key'), expected: { episode_key: 'group' } },
    {
      name: 'takes the monitor for the group',
      payload: without('alert_cycle_key', 'aggreg_key'),
      expected: { episode_key: '9' },
    },
    {
      name: 'takes the event for the monitor',
      payload: without('alert_cycle_key', 'aggreg_key', 'alert_id'),
      expected: { episode_key: 'event:71' },
    },
    {
      name: 'takes the title for the event',
      payload: { title: 'Memory' },
      expected: { episode_key: 'event:Memory', vendor_type: 'event' },
    },
    { name: 'takes a title alone for information', payload: { title: 'Memory' }, expected: { state: 'info' } },
    { name: 'names the monitor when there is no title', payload: without('title'), expected: { title: 'Monitor 9' } },
    {
      name: 'names no monitor when there is none',
      payload: { alert_transition: 'Warn' },
      expected: { title: 'Monitor ', episode_key: 'event:' },
    },
    {
      name: 'takes a variable that was not filled for missing',
      payload: { ...full, title: '$EVENT_TITLE' },
      expected: { title: 'Monitor 9' },
    },
    { name: 'takes the word null for missing', payload: { ...full, title: 'null' }, expected: { title: 'Monitor 9' } },
    {
      name: 'keeps a title that only begins like a variable',
      payload: { ...full, title: '$HOST is down' },
      expected: { title: '$HOST is down' },
    },
    {
      name: 'reads a list of tags, and the host',
      payload: { ...full, tags: ['env:prod', 7, {}, 'plain'], hostname: 'web-1' },
      expected: { labels: { env: 'prod', 7: 'true', plain: 'true', host: 'web-1' } },
    },
  ]);

  for (const [transition, state, severity] of [
    ['Triggered', 'firing', undefined],
    ['Re-Triggered', 'firing', undefined],
    ['Renotify', 'firing', undefined],
    ['Warn', 'firing', 'warning'],
    ['Re-Warn', 'firing', 'warning'],
    ['Recovered', 'resolved', undefined],
    ['No Data', 'unknown', undefined],
    ['Re-No Data', 'unknown', undefined],
    ['Prewarn', 'info', undefined],
  ] as const)
    it(`takes the transition ${transition} for ${state}`, () => {
      const [draft] = draftsOf('datadog', { ...full, alert_transition: transition });
      expect([draft?.state, draft?.severity]).to.deep.equal([state, severity]);
    });

  itRefuses('datadog', [{}, { title: '$EVENT_TITLE' }]);

  it('takes nothing of a payload that its operator writes for the id of a delivery', () => {
    expect(keyOf('datadog', full)).to.equal(undefined);
  });

  it('shows the headers that present the secret', () => {
    const headers = (auth: Parameters<typeof pasted>[2]): unknown =>
      JSON.parse(pasted(datadog, 'Custom headers', auth));
    expect(headers({ scheme: 'bearer' })).to.deep.equal({ Authorization: 'Bearer s3cret' });
    expect(headers({ scheme: 'header' })).to.deep.equal({ 'X-Orb-Token': 's3cret' });
    expect(headers({ scheme: 'header', header: 'X-Own' })).to.deep.equal({ 'X-Own': 's3cret' });
    expect(headers({ scheme: 'basic' })).to.deep.equal({});
  });
});
