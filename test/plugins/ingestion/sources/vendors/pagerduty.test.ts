import { expect } from 'chai';
import { vendors } from '../../../../../plugins/ingestion/sources/vendor-list.ts';
import { draftsOf, itReads, itRefuses, keyOf } from './drafts.ts';

const incident = {
  id: 'P1',
  type: 'incident',
  number: 2,
  title: 'A bump',
  created_at: '2026-11-20T10:00:00Z',
  html_url: 'https://pd/P1',
  priority: { summary: 'P1' },
  urgency: 'low',
  incident_key: 'k',
  service: { id: 'S1', summary: 'API' },
  resolve_reason: { type: 'merged' },
};
const note = { id: 'N1', type: 'incident_note', incident: { id: 'P1', summary: 'A bump', html_url: 'https://pd/P1' } };
const sent = (event_type: string, data: object) => ({
  event: { id: 'E1', event_type, occurred_at: '2026-11-20T10:05:00Z', data },
});
const fired = (more: object) => sent('incident.triggered', { ...incident, ...more });

describe('PagerDuty', () => {
  itReads('pagerduty', [
    {
      name: 'reads an incident',
      payload: fired({}),
      expected: {
        ...{ type: 'orb.signal.alert', vendor_event_id: 'E1', vendor_type: 'incident.triggered', state: 'firing' },
        ...{ occurred_at: Date.UTC(2026, 10, 20, 10, 5), starts_at: Date.UTC(2026, 10, 20, 10), title: 'A bump' },
        ...{ severity_text: 'P1', severity: 'critical', summary: 'merged', url: 'https://pd/P1', test: false },
        ...{ episode_key: 'incident:P1' },
        labels: { service: 'API', service_id: 'S1', incident_key: 'k', number: '2' },
      },
    },
    {
      name: 'takes the urgency for the priority',
      payload: fired({ priority: null }),
      expected: { severity_text: 'low', severity: 'warning' },
    },
    {
      name: 'takes a high urgency',
      payload: fired({ priority: null, urgency: 'high' }),
      expected: { severity: 'high' },
    },
    {
      name: 'takes the urgency for a priority of its own',
      payload: fired({ priority: { summary: 'Mine' } }),
      expected: { severity_text: 'Mine', severity: 'warning' },
    },
    {
      name: 'takes the message for the reason',
      payload: fired({ resolve_reason: null, message: 'm' }),
      expected: { summary: 'm' },
    },
    {
      name: 'reads a note of an incident',
      payload: sent('incident.annotated', note),
      expected: {
        type: 'orb.signal.alert',
        state: 'info',
        episode_key: 'incident:P1',
        title: 'A bump',
        url: 'https://pd/P1',
      },
    },
    {
      name: 'names an event after its kind',
      payload: sent('incident.annotated', { id: 'N1' }),
      expected: { title: 'incident.annotated', episode_key: 'incident:N1' },
    },
    {
      name: 'takes an event of something else for a change',
      payload: sent('service.updated', { id: 'S1', type: 'service' }),
      expected: { type: 'orb.signal.change', state: 'info', episode_key: 'event:service.updated:S1', test: false },
    },
    {
      name: 'knows an incident in an event of another kind',
      payload: sent('custom.kind', incident),
      expected: { type: 'orb.signal.alert', episode_key: 'incident:P1', state: 'info' },
    },
    {
      name: 'reads an event that names nothing',
      payload: sent('service.updated', {}),
      expected: { episode_key: 'event:service.updated:' },
    },
    {
      name: 'marks a ping',
      payload: sent('pagey.ping', { message: 'Hi', type: 'ping' }),
      expected: { test: true, summary: 'Hi' },
    },
  ]);

  for (const [kind, state] of [
    ['triggered', 'firing'],
    ['reopened', 'firing'],
    ['unacknowledged', 'firing'],
    ['acknowledged', 'acknowledged'],
    ['resolved', 'resolved'],
    ['escalated', 'info'],
  ])
    it(`takes an incident that is ${kind} for ${state}`, () => {
      expect(draftsOf('pagerduty', sent(`incident.${kind}`, incident))[0]?.state).to.equal(state);
    });

  itRefuses('pagerduty', [{}, { event: 'x' }, { event: [] }, { event: { data: {} } }]);

  it('knows a delivery by the event, which is signed, before the header', () => {
    const header = { 'x-webhook-id': 'w' };
    expect(keyOf('pagerduty', fired({}), header)).to.equal('E1');
    expect(keyOf('pagerduty', {}, header)).to.equal('w');
  });

  it('says where its secret comes from', () => {
    const steps = (scheme: 'signature' | 'header') =>
      vendors.pagerduty.setup({ url: 'u', secret: 's', auth: { scheme } }).steps.join(' ');
    expect(steps('signature')).to.include('shows the signing secret once').and.not.include('custom header');
    expect(steps('header')).to.include('custom header').and.not.include('signing secret');
  });
});
