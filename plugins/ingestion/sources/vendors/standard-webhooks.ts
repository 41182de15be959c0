import { standardSignature } from '../auth/standard.ts';
import { alertInData, mappedDraft } from './field-map.ts';
import { isRecord } from './read.ts';
import { defineVendor, jsonFixture, snippet } from './vendor.ts';
import { Undecodable } from '../payload/undecodable.ts';
import type { FieldMap } from '../settings/schema.ts';

const defaults: FieldMap = { ...alertInData, time: '/timestamp' };

/** Standard Webhooks (and Svix): what a custom sender should use. */
export const standardWebhooks = defineVendor({
  name: 'standard-webhooks',
  version: 1,
  limits: { bytes: 1024 * 1024, keys: 10_000 },
  schemes: ['signature'],
  signature: standardSignature,
  keep: ['webhook-id', 'webhook-timestamp', 'svix-id', 'svix-timestamp'],
  deliveryKey: ({ headers }) => headers['webhook-id'] ?? headers['svix-id'],
  normalize({ payload, headers, settings }) {
    if (!isRecord(payload)) throw new Undecodable('unknown_shape', 'the body is not an object');
    const draft = mappedDraft(payload, settings.map ?? {}, defaults);
    return [{ ...draft, vendor_event_id: headers['webhook-id'] ?? headers['svix-id'] }];
  },
  fixture: (nowMs, id) =>
    jsonFixture({
      type: 'alert.triggered',
      timestamp: new Date(nowMs).toISOString(),
      data: { id, state: 'firing', severity: 'warning', title: 'Test of the webhook', labels: {} },
    }),
  setup: ({ url, secret }) => ({
    steps: [
      'Sign webhook-id.webhook-timestamp.body with any library of standardwebhooks.com and the secret below.',
      'A sender with an Ed25519 key: add its whpk_… public key as the secret instead.',
      'The body: {"type", "timestamp", "data": {"id", "state", "severity", "title", "url", "labels"}}; other shapes by `map`.',
    ],
    snippets: [snippet('URL', url), snippet('Secret', secret)],
  }),
});
