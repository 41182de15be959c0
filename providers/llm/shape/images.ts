import { parseTarget, type Target } from '../../../kernel/outbound.ts';

/**
 * Lists the addresses from which a vendor is to fetch images, as policies see them. Throws ProviderError `rejected` for
 * one in which two readers could see two hosts.
 */
export function imageTargets(inputs: Readonly<Record<string, unknown>>): readonly Target[] {
  const messages = itemsOf(inputs['messages'] ?? memberOf(inputs['prompt'], 'messages'));
  const parts = messages.flatMap((message) => itemsOf(memberOf(message, 'content')));
  const urls = parts.map((part) => memberOf(part, 'url'));
  return urls.filter((url) => typeof url === 'string').map(parseTarget);
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
