import { exactly, optional, type Webhook } from '../../kernel/index.ts';
import { eventTypes } from './subscription.ts';

const text = (description: string) => ({ type: 'string', description }) as const;

// Without names of their own: oapi-codegen leaves out components that webhooks alone refer to, and names them nevertheless.

const receipt = exactly({
  receipt_id: text('Id of the receipt, `rec_<ulid>`'),
  trust_score: optional({ type: 'integer', description: 'Trust score of the run' }),
  risk_level: optional(text('Risk level of the run')),
  timestamp: optional(text('RFC 3339 UTC: when it was signed')),
});

const data = exactly({
  subscription_id: text('The subscription that the callback is for; check it when you verify `v1a`'),
  run_id: text('Id of the run'),
  status: {
    enum: ['completed', 'failed', 'timed_out', 'indeterminate', 'cancelled', 'denied'],
    description: 'Status of the run',
  },
  reason: optional(text('Reason of the status')),
  provider_reason: optional(text('Why the provider rejected it, as in its problem')),
  resolved_by: optional(text('Who resolved a run with an unknown outcome')),
  orb_id: text('Id of the Orb'),
  orbiset_id: text('Id of the Orbiset'),
  mode: { enum: ['live', 'sandbox'], description: '`sandbox`: no data left the server' },
  execution_ms: optional({ type: 'integer', description: 'Duration of the run in milliseconds' }),
  receipt: { ...receipt, description: 'Summary of the receipt of the run' },
  outputs: optional({
    type: 'object',
    additionalProperties: true,
    description: 'Outputs of the run, if the subscription includes them and the Orbiset keeps them',
  }),
});

const standard = exactly({
  type: { enum: eventTypes, description: 'Type of the event' },
  timestamp: text('RFC 3339 UTC: when the run ended'),
  data: { ...data, description: 'The run' },
});

const cloudEvent = exactly({
  specversion: { const: '1.0', description: 'Version of CloudEvents' },
  id: text('Id of the callback, the same as `webhook-id`'),
  source: text('`urn:agent-orb:` and the id of the installation'),
  type: { enum: eventTypes.map((type) => `agent-orb.${type}`), description: 'Type of the event' },
  subject: text('Id of the run'),
  time: text('RFC 3339 UTC: when the run ended'),
  datacontenttype: { const: 'application/json', description: 'Type of `data`' },
  data: { ...data, description: 'The run' },
});

/** The callback of a subscription, as OpenAPI describes it. */
export const runCallback: Webhook = {
  operationId: 'receiveRunCallback',
  summary: 'A run finished',
  description:
    'Sent to the URL of a subscription and signed according to Standard Webhooks. Each callback arrives at least once; the order is not guaranteed.',
  headers: {
    'webhook-id': 'Id of the callback, the same at each attempt: ignore a callback that you have already processed',
    'webhook-timestamp': 'When it was sent, seconds since the Unix epoch',
    'webhook-signature':
      'Signatures of `<webhook-id>.<webhook-timestamp>.<body>`, separated by spaces: `v1` with the secret, `v1a` with Ed25519',
  },
  content: { 'application/json': standard, 'application/cloudevents+json': cloudEvent },
  answers: {
    '2XX': 'The callback is accepted',
    '410': 'The subscription is switched off',
    default: 'The server tries again later',
  },
};
