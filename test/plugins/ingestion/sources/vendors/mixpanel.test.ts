import { expect } from 'chai';
import { mixpanel } from '../../../../../plugins/ingestion/sources/vendors/mixpanel.ts';
import { itReads, itRefuses, keyOf, pasted } from './drafts.ts';

const alert = {
  event_type: 'custom_alert_triggered',
  alert: { id: 4, name: 'Purchases', project_id: 3, fired_at: '2026-11-20T10:00:00Z' },
  condition: { current_value: 71, sentence: 'fell' },
  links: { alert: 'https://m/a', report: 'https://m/r' },
};
const cohort = {
  action: 'add_members',
  parameters: { mixpanel_cohort_id: '11', members: [{ email: 'a@example.com' }, { email: 'b@example.com' }] },
};

describe('Mixpanel', () => {
  itReads('mixpanel', [
    {
      name: 'counts an alert, which never ends',
      payload: alert,
      expected: {
        ...{ type: 'orb.signal.analytics', vendor_event_id: '4', vendor_type: 'custom_alert_triggered', state: 'info' },
        ...{ occurred_at: Date.UTC(2026, 10, 20, 10), severity: 'warning', title: 'Purchases', summary: 'fell' },
        ...{ url: 'https://m/a', episode_key: 'alert:4', value: 71, labels: { project_id: '3' } },
      },
    },
    {
      name: 'takes the report of an alert without an address',
      payload: { ...alert, links: { report: 'https://m/r' } },
      expected: { url: 'https://m/r' },
    },
    {
      name: 'takes another event for information',
      payload: { ...alert, event_type: 'other' },
      expected: { severity: 'info', vendor_type: 'other' },
    },
    {
      name: 'takes an alert that is not named for information',
      payload: { event_type: 'custom_alert_triggered' },
      expected: { severity: 'info', title: 'custom_alert_triggered', episode_key: 'alert:custom_alert_triggered' },
    },
    { name: 'keeps what it does not know', payload: {}, expected: { vendor_type: 'unknown', title: 'unknown' } },
    {
      name: 'counts the members of a cohort',
      payload: cohort,
      expected: {
        ...{
          type: 'orb.signal.analytics',
          state: 'info',
          vendor_type: 'cohort.add_members',
          title: 'Cohort 11: add_members',
        },
        ...{ episode_key: 'cohort:11', value: 2 },
      },
    },
    {
      name: 'takes the number of a cohort that was reduced',
      payload: { action: 'members', parameters: { member_count: 9 } },
      expected: { value: 9, title: 'Cohort unknown: members' },
    },
    {
      name: 'takes a cohort without parameters for unknown',
      payload: { action: 'members' },
      expected: { vendor_type: 'unknown' },
    },
    {
      name: 'takes parameters of another action for unknown',
      payload: { ...cohort, action: 'other' },
      expected: { vendor_type: 'unknown' },
    },
  ]);

  itRefuses('mixpanel', [[], 'x']);

  it('knows an alert by its id and its time', () => {
    expect(keyOf('mixpanel', alert)).to.equal('4:2026-11-20T10:00:00Z');
    expect(keyOf('mixpanel', { alert: { id: 4 } })).to.equal(undefined);
    expect(keyOf('mixpanel', { alert: { fired_at: 'then' } })).to.equal(undefined);
  });

  it('stores the number of members, never the members', () => {
    const reduced = mixpanel.reduce?.(cohort);
    expect(JSON.parse(JSON.stringify(reduced))).to.deep.equal({
      ...{ action: 'add_members', parameters: { mixpanel_cohort_id: '11', member_count: 2 } },
    });
    for (const other of [alert, 'x', [cohort]]) expect(mixpanel.reduce?.(other)).to.equal(undefined);
  });

  it('answers a cohort as the vendor requires', () => {
    expect(mixpanel.answer?.(cohort)).to.deep.equal({ action: 'add_members', status: 'success' });
    expect(mixpanel.answer?.(alert)).to.equal(undefined);
  });

  it('shows the user that was set, else its own', () => {
    expect(pasted(mixpanel, 'User', { scheme: 'basic', username: 'me' })).to.equal('me');
    expect(pasted(mixpanel, 'User', { scheme: 'basic' })).to.equal('orb');
  });
});
