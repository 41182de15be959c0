import { configuredHmac, hexOfBody } from '../auth/configured-hmac.ts';
import { at, idOf, isRecord, labelPairs, meaning, tableOf, text, time } from './read.ts';
import { defineVendor, jsonFixture, quiet, snippet, type Draft } from './vendor.ts';
import { Undecodable } from '../payload/undecodable.ts';
import type { SignalState } from '../../signals/words.ts';

const outcomes = tableOf<SignalState>({
  firing: ['failure', 'timed_out', 'startup_failure', 'error'],
  resolved: ['success'],
});

/** GitHub: repository and organization webhooks. */
export const github = defineVendor({
  name: 'github',
  version: 3,
  limits: { bytes: 1024 * 1024, keys: 50_000, most_bytes: 25 * 1024 * 1024 },
  schemes: ['signature', 'url'],
  signature: configuredHmac({
    ...hexOfBody,
    scheme: 'github.sha256',
    header: 'x-hub-signature-256',
    prefix: 'sha256=',
  }),
  keep: ['x-github-event', 'x-github-delivery', 'x-github-hook-id'],
  // A failed run that is not repeated stays failed.
  policy: { ttl_s: 86_400 },
  deliveryKey: ({ headers }) => headers['x-github-delivery'],
  unsignedId: true,
  isDated: () => true,
  decode({ headers, raw }, parse) {
    const type = (headers['content-type'] ?? '').toLowerCase();
    if (!type.startsWith('application/x-www-form-urlencoded')) return parse(raw);
    const payload = new URLSearchParams(Buffer.from(raw).toString()).get('payload');
    if (payload === null) throw new Undecodable('unknown_shape', 'the form has no field payload');
    return parse(Buffer.from(payload));
  },
  normalize({ payload, headers }) {
    if (!isRecord(payload)) throw new Undecodable('unknown_shape', 'the body is not an object');
    return [draftOf(payload, headers['x-github-event'] ?? 'unknown', headers['x-github-delivery'])];
  },
  fixture: (_, id) =>
    jsonFixture(
      { zen: 'Keep it logically awesome.', hook_id: 1, hook: { type: 'Repository', id: 1 } },
      { 'x-github-event': 'ping', 'x-github-delivery': id },
    ),
  setup: ({ url, secret }) => ({
    steps: [
      'Settings → Webhooks → Add webhook: enter the URL and the secret, content type application/json.',
      'Choose the events Workflow runs and Deployment statuses; others are kept as information.',
    ],
    snippets: [snippet('Payload URL', url), snippet('Secret', secret)],
  }),
});

function draftOf(payload: unknown, event: string, delivery: string | undefined): Draft {
  const action = text(payload, 'action');
  const kind = action === undefined ? event : `${event}.${action}`;
  const common = { vendor_event_id: delivery, vendor_type: kind, labels: labels(payload), test: event === 'ping' };
  const run = at(payload, 'workflow_run');
  if (event === 'workflow_run' && isRecord(run)) return { ...common, ...runDraft(run, action) };
  const status = at(payload, 'deployment_status');
  if (event === 'deployment_status' && isRecord(status)) return { ...common, ...deploymentDraft(payload, status) };
  return {
    ...common,
    ...quiet,
    occurred_at: time(payload, 'head_commit', 'timestamp'),
    title: `${kind} ${text(payload, 'repository', 'full_name') ?? ''}`.trim(),
    url: text(payload, 'compare') ?? text(payload, 'repository', 'html_url'),
    episode_key: `event:${kind}`,
  };
}

function labels(payload: unknown): Record<string, string> {
  return labelPairs([
    ['repository', text(payload, 'repository', 'full_name')],
    ['environment', text(payload, 'deployment', 'environment')],
    ['workflow', text(payload, 'workflow_run', 'name')],
    ['branch', text(payload, 'workflow_run', 'head_branch')],
  ]);
}

function runDraft(run: unknown, action: string | undefined) {
  const conclusion = text(run, 'conclusion') ?? '';
  const state = action === 'completed' ? (meaning(outcomes, conclusion) ?? 'info') : 'info';
  return {
    type: 'orb.signal.change' as const,
    occurred_at: time(run, 'updated_at'),
    starts_at: time(run, 'run_started_at'),
    state,
    severity_text: conclusion === '' ? undefined : conclusion,
    severity: 'warning' as const,
    title: `${text(run, 'name') ?? 'Workflow'}: ${conclusion || (text(run, 'status') ?? '')}`,
    url: text(run, 'html_url'),
    episode_key: `workflow_run:${idOf(state, run, 'id')}`,
  };
}

function deploymentDraft(payload: unknown, status: unknown) {
  const word = text(status, 'state') ?? '';
  const state = meaning(outcomes, word) ?? 'info';
  return {
    type: 'orb.signal.change' as const,
    occurred_at: time(status, 'updated_at') ?? time(status, 'created_at'),
    state,
    severity_text: word === '' ? undefined : word,
    severity: 'warning' as const,
    title: `Deployment to ${text(payload, 'deployment', 'environment') ?? 'unknown'}: ${word}`,
    summary: text(status, 'description'),
    url: text(status, 'target_url') ?? text(status, 'log_url'),
    episode_key: `deployment:${idOf(state, payload, 'deployment', 'id')}`,
  };
}
