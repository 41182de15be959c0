import type { JsonSchema } from '../schema.ts';

const time = { type: 'string', format: 'date-time' } as const;

/** The summary of a receipt. */
export const receiptSummary = {
  $id: 'ReceiptSummary',
  type: 'object',
  additionalProperties: false,
  required: ['receipt_id', 'trust_score', 'risk_level', 'signature_valid', 'timestamp'],
  properties: {
    receipt_id: { type: 'string', pattern: '^rec_' },
    trust_score: { type: 'integer', minimum: 0, maximum: 100 },
    risk_level: { enum: ['low', 'medium', 'high', 'critical'] },
    signature_valid: { type: 'boolean' },
    timestamp: time,
  },
} as const satisfies JsonSchema;
