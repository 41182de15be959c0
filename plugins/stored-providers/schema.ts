import { exactly, optional } from '../../kernel/index.ts';
import { executionResult, orbId, origin, reloadedProvider } from '../runtime/contract.ts';

const count = (maximum: number, description: string, minimum = 1) =>
  ({ type: 'integer', minimum, maximum, description }) as const;

/** Schema of the limits of a provider. */
export const limits = {
  type: 'object',
  title: 'ProviderLimits',
  description: 'Limits of its calls at each node: `rate`, `concurrency` or both',
  additionalProperties: false,
  properties: {
    rate: {
      ...exactly({
        count: count(1_000_000, 'Number of runs'),
        window_s: count(86_400, 'Seconds'),
      }),
      description: 'Runs per time window',
    },
    concurrency: count(10_000, 'Number of runs at the same time'),
    queue: { ...count(100_000, 'Runs that may wait', 0), default: 256 },
  },
} as const;

/** Schema of the path. */
export const providerParams = exactly({
  name: {
    type: 'string',
    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    maxLength: 64,
    description: 'Name of the provider',
  },
});

/** Schema of a provider as it is put. */
export const providerRequest = exactly('ProviderRequest', {
  adapter: { type: 'string', maxLength: 200, description: 'Name of a shipped adapter, e.g. `email/smtp`' },
  config: optional({
    type: 'object',
    description: 'Settings of the adapter, with all secrets as plain values',
    additionalProperties: true,
  }),
  limits: optional(limits),
});

const time = { type: 'string', format: 'date-time' } as const;

/** Schema of what a test of a provider sends. */
const sample = exactly('ProviderSample', {
  orb_id: { ...orbId, description: 'The Orb that the test runs' },
  asks: {
    type: 'array',
    description: 'Inputs that the caller must give, the first also as `to`',
    items: { type: 'string' },
  },
  inputs: { type: 'object', description: 'The other inputs, unless the caller gives them' },
});

const recipient = {
  type: ['string', 'object'],
  description: 'The first input that the capability asks for, such as an address',
} as const;

/** Schema of the request of a test. */
export const testRequest = exactly('ProviderTestRequest', {
  to: optional(recipient),
  inputs: optional({ type: 'object', description: 'More inputs' }),
  orb_id: optional({ ...orbId, description: 'Default: that of `test` of the provider' }),
  orbiset_id: optional({ type: 'string', maxLength: 64, description: 'Default: default' }),
});

/** Schema of the answer to a test that completed. */
export const testedProvider = exactly('ProviderTest', {
  orb_id: { ...orbId, description: 'The Orb that was run' },
  inputs: { type: 'object', description: 'What was sent' },
  result: { ...executionResult, description: 'The result of the run, with its receipt' },
});

/** Schema of a provider as it is shown. */
export const shownProvider = exactly('Provider', {
  name: { type: 'string', description: 'Name of the provider' },
  adapter: { type: 'string', description: 'Name of the adapter' },
  capability: { type: 'string', description: 'Name of the capability' },
  origin,
  config: optional({
    type: 'object',
    description: 'Without secrets; absent for one of the file',
    additionalProperties: true,
  }),
  secrets: optional({
    type: 'array',
    description: 'JSON pointers of the secrets that are set',
    items: { type: 'string' },
  }),
  config_digest: { type: 'string', description: 'As in receipts' },
  limits: optional(limits),
  active_for: { type: 'array', description: 'Orbs that it serves now', items: { type: 'string' } },
  test: optional({ ...sample, description: 'What a test sends' }),
  changed_at: optional({ ...time, description: 'When it was last changed' }),
  receipt_id: optional({ type: 'string', description: 'Receipt of the last change' }),
});

/** Schema of the answer to a change. */
export const changedProvider = exactly('ProviderChange', {
  provider: { ...shownProvider, description: 'The provider after the change' },
  changes: { type: 'array', description: 'The result for each Orb', items: reloadedProvider },
  warnings: { type: 'array', description: 'On the configuration', items: { type: 'string' } },
});
