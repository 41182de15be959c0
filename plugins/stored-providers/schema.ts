import { exactly, optional } from '../../kernel/index.ts';
import { origin, reloadedProvider } from '../runtime/contract.ts';

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
  changed_at: optional({ ...time, description: 'When it was last changed' }),
  receipt_id: optional({ type: 'string', description: 'Receipt of the last change' }),
});

/** Schema of the answer to a change. */
export const changedProvider = exactly('ProviderChange', {
  provider: { ...shownProvider, description: 'The provider after the change' },
  changes: { type: 'array', description: 'The result for each Orb', items: reloadedProvider },
  warnings: { type: 'array', description: 'On the configuration', items: { type: 'string' } },
});
