import { expect } from 'chai';
import { arrivalOf, decoded, itReads, itRefuses, keyOf } from './drafts.ts';

const repository = { full_name: 'acme/site', html_url: 'https://github.com/acme/site' };
const run = {
  id: 5,
  name: 'CI',
  head_branch: 'main',
  status: 'completed',
  conclusion: 'failure',
  run_started_at: '2026-11-20T10:00:00Z',
  updated_at: '2026-11-20T10:05:00Z',
  html_url: 'https://github.com/acme/site/actions/runs/5',
};
const ofRun = { headers: { 'x-github-event': 'workflow_run', 'x-github-delivery': 'd-1' } };
const ofDeployment = { headers: { 'x-github-event': 'deployment_status' } };
const deployment = { id: 8, environment: 'prod' };
const ended = (conclusion: string) => ({ action: 'completed', workflow_run: { ...run, conclusion } });
const stood = (state: string, more: object = {}) => ({ deployment, deployment_status: { state, ...more } });

describe('GitHub', () => {
  itReads('github', [
    {
      name: 'reads a failed run',
      payload: { action: 'completed', workflow_run: run, repository },
      ...ofRun,
      expected: {
        ...{ type: 'orb.signal.change', vendor_event_id: 'd-1', vendor_type: 'workflow_run.completed' },
        ...{ state: 'firing', severity: 'warning', severity_text: 'failure', title: 'CI: failure', test: false },
        ...{ occurred_at: Date.UTC(2026, 10, 20, 10, 5), starts_at: Date.UTC(2026, 10, 20, 10) },
        ...{ url: 'https://github.com/acme/site/actions/runs/5', episode_key: 'workflow_run:5' },
        labels: { repository: 'acme/site', workflow: 'CI', branch: 'main' },
      },
    },
    ...(['timed_out', 'startup_failure'] as const).map((word) => ({
      ...{ name: `takes a run that ended with ${word} for failed`, payload: ended(word), ...ofRun },
      expected: { state: 'firing' },
    })),
    { name: 'takes a success for the end', payload: ended('success'), ...ofRun, expected: { state: 'resolved' } },
    {
      name: 'takes a cancelled run for information',
      payload: ended('cancelled'),
      ...ofRun,
      expected: { state: 'info' },
    },
    {
      name: 'takes a run that goes on for information, whatever the last one ended with',
      payload: { action: 'in_progress', workflow_run: run },
      ...ofRun,
      expected: { state: 'info' },
    },
    {
      name: 'names the status of a run without a conclusion',
      payload: { action: 'requested', workflow_run: { ...run, conclusion: null, status: 'queued' } },
      ...ofRun,
      expected: { title: 'CI: queued', severity_text: undefined, vendor_type: 'workflow_run.requested' },
    },
    {
      name: 'reads a run that says nothing',
      payload: { action: 'completed', workflow_run: {} },
      ...ofRun,
      expected: { title: 'Workflow: ', episode_key: 'workflow_run:', state: 'info' },
    },
    {
      name: 'takes a run in another event for information',
      payload: { action: 'completed', workflow_run: run },
      headers: { 'x-github-event': 'check_suite' },
      expected: { state: 'info', episode_key: 'event:check_suite.completed' },
    },
    {
      name: 'takes an event without its run for information',
      payload: {},
      ...ofRun,
      expected: { state: 'info', title: 'workflow_run' },
    },
    {
      name: 'reads a deployment that failed',
      payload: stood('error', {
        updated_at: '2026-11-20T10:05:00Z',
        created_at: '2026-11-20T10:00:00Z',
        target_url: 'https://a',
        log_url: 'https://b',
        description: 'why',
      }),
      ...ofDeployment,
      expected: {
        ...{ type: 'orb.signal.change', state: 'firing', severity: 'warning', severity_text: 'error', summary: 'why' },
        ...{ title: 'Deployment to prod: error', url: 'https://a', episode_key: 'deployment:8' },
        ...{ occurred_at: Date.UTC(2026, 10, 20, 10, 5), labels: { environment: 'prod' } },
      },
    },
    {
      name: 'reads a deployment that has its creation and its log alone',
      payload: stood('success', { created_at: '2026-11-20T10:00:00Z', log_url: 'https://b' }),
      ...ofDeployment,
      expected: { state: 'resolved', occurred_at: Date.UTC(2026, 10, 20, 10), url: 'https://b' },
    },
    {
      name: 'reads a deployment that says nothing',
      payload: { deployment_status: {} },
      ...ofDeployment,
      expected: {
        state: 'info',
        severity_text: undefined,
        title: 'Deployment to unknown: ',
        episode_key: 'deployment:',
      },
    },
    {
      name: 'takes a status in another event for information',
      payload: stood('error'),
      headers: { 'x-github-event': 'status' },
      expected: { state: 'info', episode_key: 'event:status' },
    },
    {
      name: 'takes an event without its status for information',
      payload: {},
      ...ofDeployment,
      expected: { state: 'info', title: 'deployment_status' },
    },
    {
      name: 'reads a push',
      payload: {
        repository,
        compare: 'https://github.com/acme/site/compare',
        head_commit: { timestamp: '2026-11-20T10:00:00Z' },
      },
      headers: { 'x-github-event': 'push' },
      expected: {
        ...{ type: 'orb.signal.change', title: 'push acme/site', url: 'https://github.com/acme/site/compare' },
        ...{ occurred_at: Date.UTC(2026, 10, 20, 10), vendor_event_id: undefined, test: false },
      },
    },
    {
      name: 'names the repository of other events',
      payload: { repository },
      expected: { title: 'unknown acme/site', url: 'https://github.com/acme/site' },
    },
    {
      name: 'marks a ping as a test',
      payload: {},
      headers: { 'x-github-event': 'ping' },
      expected: { test: true, title: 'ping' },
    },
  ]);

  itRefuses('github', [[], 'x', null]);

  it('knows a delivery by its header', () => {
    expect(keyOf('github', {}, { 'x-github-delivery': 'd-1' })).to.equal('d-1');
    expect(keyOf('github', {})).to.equal(undefined);
  });

  it('reads JSON, and a form by its field payload', () => {
    const form = { 'content-type': 'Application/x-www-form-urlencoded; charset=utf-8' };
    expect(decoded('github', arrivalOf('{"a":1}', { 'content-type': 'application/json' }))).to.deep.equal({ a: 1 });
    expect(decoded('github', arrivalOf('{"a":1}'))).to.deep.equal({ a: 1 });
    expect(decoded('github', arrivalOf(new URLSearchParams({ payload: '{"a":1}' }).toString(), form))).to.deep.equal({
      a: 1,
    });
    expect(() => decoded('github', arrivalOf('other=1', form))).to.throw(/no field payload/);
  });
});
