import { ProviderError } from '../../../kernel/adapter.ts';

/** The setting with the senders of a provider, by the alias that callers name. */
export const senders = {
  type: 'object',
  title: 'Senders',
  description:
    'Numbers or names from which messages are sent, by the alias that callers name in `from`. The alias `default` ' +
    'serves callers that name none.',
  minProperties: 1,
  maxProperties: 256,
  propertyNames: { maxLength: 64, pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$' },
  additionalProperties: { type: 'string', pattern: '^[A-Za-z0-9+](?:[A-Za-z0-9 &_.-]{0,32}[A-Za-z0-9])?$' },
  examples: [{ default: '+4915123456789', alerts: 'Example' }],
} as const;

/** Finds the sender of an alias. Throws ProviderError `rejected`. */
export function senderOf(configured: Readonly<Record<string, string>>, alias = 'default'): string {
  const found = Object.hasOwn(configured, alias) ? configured[alias] : undefined;
  if (found !== undefined) return found;
  const sentence =
    alias === 'default'
      ? 'the provider has no sender `default`; name one of its senders in `from`'
      : 'the provider has no sender with the alias in `from`';
  throw new ProviderError('rejected', sentence, { reason: 'sender_refused' });
}
