import { exactly, optional, rowReader, type RowOf } from '../../../kernel/index.ts';
import type { HookMethod } from '../sources/auth/proof.ts';
import { authStrengths, severities, signalStates, type VendorName } from '../signals/words.ts';

const names = { type: 'object', additionalProperties: { type: 'string' } } as const;

/** Schema of one delivery: the row of the table as answers show it. */
export const deliverySchema = {
  $id: 'Delivery',
  type: 'object',
  required: ['delivery_id', 'source_id', 'vendor', 'received_at', 'state', 'digest', 'auth_strength', 'auth_scheme'],
  properties: {
    delivery_id: { type: 'string', description: 'Id of the delivery' },
    source_id: { type: 'string', description: 'Id of the source' },
    vendor: { type: 'string', description: 'Name of the vendor' },
    delivery_key: { type: 'string', description: 'Unique per source: identifies duplicates of a delivery' },
    received_at: { type: 'string', description: 'When it arrived' },
    last_seen_at: { type: 'string', description: 'When it last arrived' },
    duplicates: { type: 'integer', description: 'How often it arrived again' },
    conflicts: { type: 'integer', description: 'How often another body arrived under its id' },
    conflicting_digest: { type: 'string', description: 'sha256:<hex> of the first of these bodies' },
    refreshes: { type: 'integer', description: 'Duplicates without an id of the vendor' },
    method: { type: 'string', description: 'HTTP method' },
    headers: { ...names, description: 'Selected headers; none that authenticates' },
    query: { ...names, description: 'Query parameters that name a subject' },
    size: { type: 'integer', description: 'Size in bytes' },
    digest: { type: 'string', description: 'sha256:<hex> of the body as received' },
    auth_strength: { enum: authStrengths, description: 'Strength of the authentication' },
    auth_scheme: { type: 'string', description: 'Scheme of the authentication' },
    secret_version: { type: 'integer', description: 'Number of the secret that matched' },
    clock_skew_ms: { type: 'integer', description: "Difference of the sender's clock, milliseconds" },
    test: { type: 'boolean', description: 'Marked as a test' },
    state: { enum: ['queued', 'done', 'ignored', 'dead'], description: 'State of processing' },
    reason: { type: 'string', description: 'Why it is dead or ignored' },
    attempts: { type: 'integer', description: 'Number of attempts' },
    progress: { type: 'integer', description: 'Number of signals already recorded, while it is unfinished' },
    signals: { type: 'integer', description: 'Number of signals it produced' },
    normalizer_version: { type: 'integer', description: 'Version of the code that processed it' },
    processed_at: { type: 'string', description: 'When it was processed' },
    keep_until: { type: 'string', description: 'When its body can be deleted' },
  },
} as const;

type Nullable =
  | 'conflicting_digest'
  | 'secret_version'
  | 'clock_skew_ms'
  | 'reason'
  | 'normalizer_version'
  | 'processed_at';

/** One row of the table of deliveries. */
export type Delivery = RowOf<typeof deliverySchema, Nullable> & {
  readonly vendor: VendorName;
  readonly method: HookMethod;
};

/** Makes the key of bytes that came before and report a new event; `change`: what changed their alert in between. */
export function keyOfNewEvent(digest: string, change: string): string {
  return `${digest}/${change}`;
}

/** Says whether a key is that of bytes that came before and report a new event. */
export function isNewEvent(deliveryKey: string): boolean {
  return deliveryKey.startsWith('sha256:') && deliveryKey.includes('/');
}

const time = { type: 'string', format: 'date-time', maxLength: 40 } as const;

/** Schema of the filters for deliveries. */
export const deliveryFilters = exactly({
  source_id: optional({ type: 'string', maxLength: 64, description: 'Only of this source' }),
  state: optional({ enum: ['queued', 'done', 'ignored', 'dead'], description: 'Only in this state' }),
  reason: optional({ type: 'string', maxLength: 64, description: 'Only with this reason' }),
  from: optional({ ...time, description: 'Received at or after' }),
  to: optional({ ...time, description: 'Received before' }),
});

/** The columns that `deliveryOf` reads. */
export const deliveryColumns = Object.keys(deliverySchema.properties);

/** Reads a row of ingestion_deliveries. */
export const deliveryOf = rowReader<Delivery>(deliverySchema);

// Schema of one signal.
const signalSchema = {
  $id: 'Signal',
  type: 'object',
  required: ['delivery_id', 'type', 'vendor_type', 'occurred_at', 'state', 'severity', 'title', 'fingerprint'],
  // Its members are those of the type Signal.
  additionalProperties: true,
  properties: {
    signal_id: { type: 'string', description: 'Id of the signal' },
    delivery_id: { type: 'string', description: 'Id of the delivery' },
    type: { type: 'string', description: 'Type of the signal' },
    vendor_type: { type: 'string', description: 'Type as the vendor names it' },
    occurred_at: { type: 'string', description: 'When it happened' },
    state: { enum: signalStates, description: 'State of the alert' },
    severity: { enum: severities, description: 'Severity' },
    title: { type: 'string', description: 'Title of the alert' },
    fingerprint: { type: 'string', description: 'Identifies the episode it belongs to' },
  },
} as const;

/** Schema of one delivery with its signals. */
export const deliveryDetail = exactly('DeliveryDetail', {
  delivery: { ...deliverySchema, description: 'The delivery' },
  signals: { type: 'array', items: signalSchema, description: 'The first 100' },
  raw_kept: { type: 'boolean', description: 'Whether its body is still kept' },
});

/** Schema of a page of deliveries. */
export const deliveryPage = exactly('DeliveryPage', {
  deliveries: { type: 'array', description: 'Newest first', items: deliverySchema },
  next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last' }),
});

/** Schema of the changes that a replay of a delivery would make. */
export const previewSchema = exactly('ReplayPreview', {
  outcome: { enum: ['done', 'ignored', 'dead'], description: 'What its state would be' },
  reason: optional({ type: 'string', description: 'Why' }),
  unchanged: { type: 'integer', description: 'Number of unchanged signals' },
  changes: {
    type: 'array',
    description: 'The first 100, by position in the delivery',
    items: exactly({
      ordinal: { type: 'integer', description: 'Number of the signal in the delivery' },
      change: { enum: ['added', 'removed', 'changed'], description: 'What changed' },
      members: optional({
        type: 'array',
        description: 'Members that differ',
        items: exactly({
          name: { type: 'string', description: 'Name of the member' },
          before: optional({ description: 'Value now' }),
          after: optional({ description: 'Value after the replay' }),
        }),
      }),
    }),
  },
});
