import { ProviderError } from '../../../kernel/adapter.ts';

/** Returns an id that a caller may have written. Throws ProviderError `rejected` if the vendor has no such ids. */
export function idOf(field: 'channel' | 'thread', id: string, { pattern }: { readonly pattern: string }): string {
  if (new RegExp(pattern, 'u').test(id)) return id;
  const reason = field === 'channel' ? ({ reason: 'recipient_unknown' } as const) : {};
  throw new ProviderError('rejected', `${field} is no id of this vendor`, reason);
}
