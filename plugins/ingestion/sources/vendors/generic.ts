import { configuredHmac } from '../auth/configured-hmac.ts';
import { secretHeader } from '../auth/secret.ts';
import { mappedDraft, stepsOf } from './field-map.ts';
import { isRecord, text } from './read.ts';
import { defineVendor, jsonFixture, snippet } from './vendor.ts';
import { Undecodable } from '../payload/undecodable.ts';
import type { AuthSettings, FieldMap } from '../settings/schema.ts';

const defaults: FieldMap = {
  type: '/type',
  time: '/time',
  episode: '/id',
  state: '/state',
  severity: '/severity',
  title: '/title',
  url: '/url',
  labels: '/labels',
};

/** Any sender that signs with HMAC or presents a secret; the source configures where its fields are. */
export const generic = defineVendor({
  name: 'generic',
  version: 1,
  methods: ['POST', 'PUT'],
  limits: { bytes: 1024 * 1024, keys: 10_000, most_bytes: 10 * 1024 * 1024 },
  schemes: ['signature', 'header', 'bearer', 'basic', 'url'],
  signature: configuredHmac({ scheme: 'hmac', header: 'x-signature' }),
  deliveryKey({ headers }, payload, { delivery_header, delivery_pointer }) {
    if (delivery_header !== undefined) return headers[delivery_header.toLowerCase()];
    return delivery_pointer === undefined ? undefined : text(payload(), ...stepsOf(delivery_pointer));
  },
  unsignedId: true,
  normalize({ payload, settings }) {
    if (!isRecord(payload)) throw new Undecodable('unknown_shape', 'the body is not an object');
    return [mappedDraft(payload, settings.map ?? {}, defaults)];
  },
  fixture: (nowMs, id) =>
    jsonFixture({
      id,
      type: 'test',
      time: new Date(nowMs).toISOString(),
      state: 'firing',
      severity: 'warning',
      title: 'Test of the webhook',
    }),
  setup: ({ url, secret, auth }) => ({
    steps: [wayOf(auth), 'New senders should rather use the vendor standard-webhooks.'],
    snippets: [snippet('URL', url), snippet('Secret', secret)],
  }),
});

function wayOf(auth: AuthSettings): string {
  if (auth.scheme !== 'signature')
    return `Present the secret by ${auth.scheme === 'header' ? `the header ${auth.header ?? secretHeader}` : auth.scheme}.`;
  const { algorithm = 'sha256', encoding = 'hex', header = 'x-signature', prefix = '', timestamp_header } = auth;
  const bytes = timestamp_header === undefined ? 'the body' : `<${timestamp_header}>.<body>`;
  return `Send HMAC-${algorithm.toUpperCase()} of ${bytes} as ${encoding} in the header ${header}${prefix === '' ? '' : `, after ${prefix}`}.`;
}
