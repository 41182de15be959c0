import { exactly, optional } from '../../kernel/index.ts';
import { origin, reloadedProvider } from '../runtime/contract.ts';

const count = (maximum: number, description: string, minimum = 1) =>
  ({ type: 'integer', minimum, maximum, description }) as const;

const limits = {
  type: 'object',
  title: 'ProviderLimits',
  description: 'Limits of its calls, of each node: a rate, a concurrency, or both; absent: no limit',
  additionalProperties: false,
  properties: {
    rate: {
      ...exactly({
        count: count(1_000_000, 'Number of runs'),
        window_s: count(86_400, 'Length of the window in seconds'),
      }),
      description: 'Number of runs per time window',
    },
    concurrency: count(10_000, 'Number of runs at the same time'),
    queue: { ...count(100_000, 'How many runs may wait for both limits', 0), default: 256 },
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
    description: 'Configuration of the adapter; secrets as plain values, all of them each time',
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
    description: 'Its configuration without secrets; absent: platform.json has it',
    additionalProperties: true,
  }),
  secrets: optional({
    type: 'array',
    description: 'Which secrets are set, as JSON pointers into `config`',
    items: { type: 'string' },
  }),
  config_digest: { type: 'string', description: 'Digest of adapter and configuration, as receipts show it' },
  limits: optional(limits),
  active_for: { type: 'array', description: 'Orbs that it serves now', items: { type: 'string' } },
  created_at: optional({ ...time, description: 'When it was added' }),
  changed_at: optional({ ...time, description: 'When it was last changed' }),
  receipt_id: optional({ type: 'string', description: 'Id of the receipt of the last change' }),
});

/** Schema of the answer to a change. */
export const changedProvider = exactly('ProviderChange', {
  provider: { ...shownProvider, description: 'The provider after the change' },
  changes: { type: 'array', description: 'What the change did to the providers of each Orb', items: reloadedProvider },
  warnings: { type: 'array', description: 'What to know of the configuration', items: { type: 'string' } },
});
