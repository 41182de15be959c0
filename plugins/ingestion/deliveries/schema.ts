import { exactly, optional } from '../../../kernel/index.ts';
import { severities, signalStates } from '../signals/words.ts';
import { deliverySchema } from './delivery.ts';

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
    vendor_type: { type: 'string', description: 'Type in words of the vendor' },
    occurred_at: { type: 'string', description: 'When it happened' },
    state: { enum: signalStates, description: 'What it says of the alert' },
    severity: { enum: severities, description: 'How bad it is' },
    title: { type: 'string', description: 'Title of the alert' },
    fingerprint: { type: 'string', description: 'Names the episode it belongs to' },
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

/** Schema of what reading a delivery anew would change. */
export const previewSchema = exactly('ReplayPreview', {
  outcome: { enum: ['done', 'ignored', 'dead'], description: 'What would become of it' },
  reason: optional({ type: 'string', description: 'Why' }),
  unchanged: { type: 'integer', description: 'Number of signals that stay' },
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
