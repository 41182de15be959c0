import { exactly, optional, type Answered } from '../../../kernel/index.ts';
import { rejectedReasons } from '../../../kernel/adapter.ts';

/** Schema of why a provider rejected a call; absent where its answer does not say. */
export const providerReason = {
  title: 'ProviderReason',
  type: 'string',
  enum: rejectedReasons,
  description: 'Why the provider rejected it',
} as const;

/** Schema of why a run did not complete. It holds no secret. */
export const failureSchema = exactly({
  code: { type: 'string', minLength: 1, description: 'Code of the problem of the run' },
  message: { type: 'string', description: 'Message of the adapter' },
  provider_reason: optional(providerReason),
});

/** Why a run did not complete: the code of its problem, and what the adapter said. */
export type RunFailure = Answered<typeof failureSchema>;
