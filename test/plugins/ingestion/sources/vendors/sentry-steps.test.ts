import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { componentNames } from '../../../../../plugins/ingestion/contract.ts';
import { until } from '../../../../helpers/until.ts';
import { golden, startIngestion, type IngestionHome } from '../../home.ts';

type Body = Readonly<Record<string, unknown>>;

interface Step {
  readonly action: string;
  /** Who acted, or the text of the alert: it is all that differs from another step with this action. */
  readonly by?: string;
  readonly status: number;
}

const issue = JSON.parse(golden('sentry.firing')) as Body & { readonly actor: object };
const metric = JSON.parse(golden('sentry.metric')) as Body & { readonly data: { readonly metric_alert: object } };

const ofIssue = ({ action, by = 'ada' }: Step): Body => ({ ...issue, action, actor: { ...issue.actor, name: by } });
const ofMetric = ({ action, by = '120 events' }: Step): Body => {
  const date_closed = action === 'resolved' ? '2026-11-21T12:30:00Z' : null;
  const metric_alert = { ...metric.data.metric_alert, date_closed };
  return { ...metric, action, data: { ...metric.data, metric_alert, description_text: by } };
};

interface Course {
  readonly name: string;
  readonly resource: 'issue' | 'metric_alert';
  readonly steps: readonly Step[];
  /** `<state> <severity>: <severity of each period>` of the incident afterwards. */
  readonly expected: string;
}

const courses: readonly Course[] = [
  {
    name: 'an issue that is resolved again without a new event is resolved',
    resource: 'issue',
    steps: [
      { action: 'created', status: 202 },
      { action: 'resolved', status: 202 },
      { action: 'unresolved', status: 202 },
      { action: 'resolved', by: 'grace', status: 202 },
    ],
    expected: 'resolved high: high',
  },
  {
    name: 'an act whose body comes again, as a replay or a second try, changes nothing',
    resource: 'issue',
    steps: [
      { action: 'created', status: 202 },
      { action: 'resolved', status: 202 },
      { action: 'unresolved', status: 202 },
      { action: 'resolved', status: 200 },
      { action: 'created', by: 'grace', status: 200 },
    ],
    expected: 'open high: high',
  },
  {
    name: 'a metric alert that becomes worse is critical from then on',
    resource: 'metric_alert',
    steps: [
      { action: 'warning', status: 202 },
      { action: 'critical', status: 202 },
    ],
    expected: 'open critical: warning, critical',
  },
  {
    name: 'a metric alert that becomes better and worse again does so',
    resource: 'metric_alert',
    steps: [
      { action: 'critical', status: 202 },
      { action: 'warning', status: 202 },
      { action: 'warning', status: 200 },
      { action: 'critical', by: '130 events', status: 202 },
    ],
    expected: 'open critical: critical, warning, critical',
  },
  {
    name: 'a metric alert that is over comes to its end once',
    resource: 'metric_alert',
    steps: [
      { action: 'critical', status: 202 },
      { action: 'resolved', status: 202 },
      { action: 'resolved', by: 'again', status: 200 },
    ],
    expected: 'resolved critical: critical',
  },
];

describe('the steps of an alert of Sentry', function () {
  this.timeout(240_000);
  let home: IngestionHome;
  before(async () => {
    home = await startIngestion();
  });
  after(() => home.stop());

  const subjects = [...componentNames.map((id) => ({ kind: 'component', id })), { kind: 'provider', id: 'outbox' }];
  for (const [index, { name, resource, steps, expected }] of courses.entries())
    it(name, async () => {
      const binding = subjects[index];
      const policy = { hold_s: 0, min_severity: 'info' };
      const source = await home.source({ name: 'sentry', vendor: 'sentry', binding, policy });
      for (const step of steps) {
        const body = JSON.stringify(resource === 'issue' ? ofIssue(step) : ofMetric(step));
        const headers = {
          'content-type': 'application/json',
          'sentry-hook-resource': resource,
          'sentry-hook-signature': createHmac('sha256', source.secret).update(body).digest('hex'),
        };
        const answer = await home.hook(source.path, { headers, body });
        expect(answer.status, `${step.action} ${step.by ?? ''}`).to.equal(step.status);
        await home.settled(answer.body.delivery_id);
      }
      const shown = async (): Promise<string> => {
        const { incidents } = await home.get(`/incidents?${binding?.kind}=${binding?.id}`);
        if (incidents.length === 0) return 'none';
        const { state, severity, stretches } = await home.get(`/incidents/${incidents[0].incident_id}`);
        const periods = stretches.map((stretch: { readonly severity: string }) => stretch.severity);
        return `${state} ${severity}: ${periods.join(', ')}`;
      };
      await until(shown, (now) => now === expected, expected);
    });
});
