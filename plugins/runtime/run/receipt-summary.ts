import { exactly } from '../../../kernel/index.ts';

const time = { type: 'string', format: 'date-time' } as const;

/** The summary of a receipt. */
export const receiptSummary = exactly('ReceiptSummary', {
  receipt_id: { type: 'string', pattern: '^rec_', description: 'Id of the receipt' },
  trust_score: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'Trust score of the run, 0 to 100',
  },
  risk_level: {
    enum: ['low', 'medium', 'high', 'critical'],
    description: 'Risk of the run, from its effect and its score',
  },
  signature_valid: { type: 'boolean', description: 'Result of the verification, repeated at every read' },
  timestamp: { ...time, description: 'When the outcome was known' },
});
