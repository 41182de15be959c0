import { exactly, openingSchema, optional } from '../../kernel/index.ts';
import { providerReason } from '../runtime/contract.ts';

/** Describes the body of every error answer. */
export const problemSchema = exactly('Problem', {
  type: { type: 'string', description: 'URL of a page about the code' },
  title: { type: 'string', description: 'The same for every problem with this code' },
  status: { type: 'integer', description: 'The HTTP status' },
  detail: optional({ type: 'string', description: 'What happened and how to fix it' }),
  code: { type: 'string', description: 'Stable; use it in programs. `GET /problems/{code}` explains it' },
  request_id: { type: 'string', description: 'X-Request-Id of the answer; the logs contain it' },
  retryable: { type: 'boolean', description: 'The same request may succeed later' },
  errors: optional({
    type: 'array',
    description: 'The invalid places',
    items: exactly({
      pointer: { type: 'string', description: 'JSON Pointer as a URI fragment' },
      detail: { type: 'string', description: 'What is wrong there' },
    }),
  }),
  run_id: optional({ type: 'string', description: 'The run that was started' }),
  run_status: optional({
    enum: ['failed', 'timed_out', 'indeterminate', 'cancelled', 'denied'],
    description: 'How the run ended, as `GET /runs/{run_id}` shows it',
  }),
  phase: optional({
    const: 'protocol',
    description: 'The provider answered with an error of its protocol, not with a result',
  }),
  provider_reason: optional(providerReason),
  receipt: optional({ type: 'object', description: 'Summary of the receipt of that run' }),
  opening: optional(openingSchema),
  decision_id: optional({ type: 'string', description: 'The decision that denied it' }),
  reasons: optional({ type: 'array', description: 'Why it was denied', items: { type: 'object' } }),
  diagnostics: optional({ type: 'array', description: 'Findings in the policies', items: { type: 'object' } }),
});
