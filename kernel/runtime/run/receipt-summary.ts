import { exactly } from '../../tools/schema.ts';

const time = { type: 'string', format: 'date-time' } as const;

/** The summary of a receipt. */
export const receiptSummary = exactly('ReceiptSummary', {
  receipt_id: { type: 'string', pattern: '^rec_', description: 'Id of the receipt' },
  trust_score: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'How far the run went under known-good controls, 0 to 100',
  },
  risk_level: {
    enum: ['low', 'medium', 'high', 'critical'],
    description: 'The risk of the run, by its effect and its score',
  },
  signature_valid: { type: 'boolean', description: 'Verified again at every read' },
  timestamp: { ...time, description: 'When the outcome was known' },
});
