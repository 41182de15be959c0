import type { PluginKeeps } from '../../kernel/index.ts';

/** What the plugin keeps, and what makes it smaller. */
export const receiptsKeeps: readonly PluginKeeps[] = [
  {
    what: 'receipts and their log',
    tables: [
      'receipts_receipts',
      'receipts_marks',
      'receipts_shapes',
      'receipts_entries',
      'receipts_tiles',
      'receipts_checkpoints',
    ],
    advice: 'Kept permanently: the log proves that no receipt was changed or omitted.',
  },
  {
    what: 'inputs, outputs and reasons of failures of runs',
    tables: ['receipts_values'],
    settings: ['retention.reasons_days'],
    orbiset: 'retention_days',
    advice: 'retention_days of an Orbiset applies to later runs; without it, no inputs or outputs are kept.',
  },
];
