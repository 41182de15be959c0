const names = { type: 'object', additionalProperties: { type: 'string' } } as const;

// Schema of one delivery of the ledger.
const deliverySchema = {
  $id: 'Delivery',
  type: 'object',
  required: ['delivery_id', 'source_id', 'vendor', 'received_at', 'state', 'digest', 'auth_strength', 'auth_scheme'],
  properties: {
    delivery_id: { type: 'string' },
    source_id: { type: 'string' },
    vendor: { type: 'string' },
    delivery_key: { type: 'string', description: 'Unique per source: what makes the same delivery the same' },
    received_at: { type: 'string' },
    last_seen_at: { type: 'string' },
    duplicates: { type: 'integer' },
    refreshes: { type: 'integer', description: 'Duplicates without an id of the vendor' },
    method: { type: 'string' },
    headers: { ...names, description: 'Those worth keeping; none that authenticates' },
    query: { ...names, description: 'Members that name a subject' },
    size: { type: 'integer' },
    digest: { type: 'string', description: 'sha256:<hex> of the body as received' },
    auth_strength: { enum: ['strong', 'shared_secret', 'url_token', 'none'] },
    auth_scheme: { type: 'string' },
    secret_version: { type: 'integer' },
    clock_skew_ms: { type: 'integer' },
    test: { type: 'boolean' },
    state: { enum: ['queued', 'done', 'ignored', 'dead'] },
    reason: { type: 'string', description: 'Why it is dead or ignored' },
    attempts: { type: 'integer' },
    progress: { type: 'integer' },
    signals: { type: 'integer', description: 'How many it became' },
    normalizer_version: { type: 'integer' },
    processed_at: { type: 'string' },
    keep_until: { type: 'string', description: 'When its body may go' },
  },
} as const;

// Schema of one signal.
const signalSchema = {
  $id: 'Signal',
  type: 'object',
  required: ['delivery_id', 'type', 'vendor_type', 'occurred_at', 'state', 'severity', 'title', 'fingerprint'],
  // Its members are those of the type Signal.
  additionalProperties: true,
  properties: {
    signal_id: { type: 'string' },
    delivery_id: { type: 'string' },
    type: { type: 'string' },
    vendor_type: { type: 'string' },
    occurred_at: { type: 'string' },
    state: { enum: ['firing', 'acknowledged', 'resolved', 'suppressed', 'unknown', 'info'] },
    severity: { enum: ['critical', 'high', 'warning', 'info', 'debug'] },
    title: { type: 'string' },
    fingerprint: { type: 'string' },
  },
} as const;

/** Schema of one delivery with its signals. */
export const deliveryDetail = {
  $id: 'DeliveryDetail',
  type: 'object',
  required: ['delivery', 'signals', 'raw_kept'],
  properties: {
    delivery: deliverySchema,
    signals: { type: 'array', items: signalSchema, description: 'The first 100' },
    raw_kept: { type: 'boolean' },
  },
} as const;

/** Schema of a page of deliveries. */
export const deliveryPage = {
  $id: 'DeliveryPage',
  type: 'object',
  required: ['deliveries'],
  properties: { deliveries: { type: 'array', items: deliverySchema }, next_cursor: { type: 'string' } },
} as const;

/** Schema of what reading a delivery anew would change. */
export const previewSchema = {
  $id: 'ReplayPreview',
  type: 'object',
  required: ['outcome', 'unchanged', 'changes'],
  properties: {
    outcome: { enum: ['done', 'ignored', 'dead'] },
    reason: { type: 'string' },
    unchanged: { type: 'integer' },
    changes: {
      type: 'array',
      description: 'The first 100, by position in the delivery',
      items: {
        type: 'object',
        required: ['ordinal', 'change'],
        properties: {
          ordinal: { type: 'integer' },
          change: { enum: ['added', 'removed', 'changed'] },
          members: {
            type: 'array',
            items: {
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string' }, before: {}, after: {} },
            },
          },
        },
      },
    },
  },
} as const;
