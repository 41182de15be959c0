import type { PluginKeeps } from '../../../kernel/index.ts';

/** The tables of the runtime that grow, and what makes them smaller. */
export const runtimeKeeps: readonly PluginKeeps[] = [
  {
    what: 'runs',
    tables: ['runtime_runs', 'runtime_marks', 'runtime_unsettled'],
    advice: 'Kept permanently, like their receipts.',
  },
  {
    what: 'counts of runs and webhooks',
    tables: ['runtime_counts', 'runtime_count_parts'],
    advice: 'Kept per minute for 2 days, per hour for 60 days, per day for 3 years.',
  },
  {
    what: 'counts of runs by caller',
    tables: ['runtime_caller_counts', 'runtime_caller_bound'],
    advice: 'Kept per hour for 60 days, per day for 3 years.',
  },
  { what: 'events without a receipt', tables: ['runtime_events'], advice: 'Kept for 7 days.' },
  {
    what: 'results of idempotency keys',
    tables: ['journal_keys'],
    advice: 'Kept for 24 hours: callers can retry that long.',
  },
];
