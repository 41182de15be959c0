import { ProviderError, type Exactly, type Infer } from '../../../kernel/adapter.ts';
import { openHosts, readText, type Answer } from '../../vendor/http/client.ts';
import { jsonBody } from '../../vendor/http/json.ts';
import type { transportSettings } from '../../vendor/http/settings.ts';
import { channelMap } from '../message/settings.ts';

/** The setting for channels that each have an address of their own, which lets everybody who knows it post there. */
export const webhookChannels = {
  ...channelMap({
    title: 'Address of the webhook',
    pattern: '^(?:https://[A-Za-z0-9.-]+|http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\]))(?::[0-9]{1,5})?/[!"$-~]*$',
    secret: true,
  }),
  minProperties: 1,
} as const;

/** Posts to webhooks. */
export interface Webhooks {
  /** Posts JSON, once; `body` of the answer is its text. Throws ProviderError, which shows nothing but the host. */
  post(url: string, content: object, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/** Opens connections to webhooks; `isPrivate` says whether their hosts may have private or local addresses. */
export async function openWebhooks(
  settings: Infer<Exactly<typeof transportSettings>>,
  isPrivate: boolean,
): Promise<Webhooks> {
  const hosts = await openHosts(settings, { allow: { exempt: () => isPrivate }, named: '`channels`' });
  return {
    async post(url, content, signal) {
      const { origin, pathname, search } = new URL(url);
      const headers = { 'content-type': 'application/json' };
      const call = { method: 'POST', origin, path: `${pathname}${search}`, headers, body: jsonBody(content) } as const;
      const answer = await hosts.open(call, signal).catch(unlessBlocked);
      return { ...answer, body: await readText(answer.body) };
    },
    close: () => hosts.close(),
  };
}

// Callers name no addresses here: one that is blocked is a fault of the settings.
function unlessBlocked(error: unknown): never {
  if (!(error instanceof ProviderError) || error.outcome !== 'rejected') throw error;
  throw new ProviderError('provider_fault', 'the address of the webhook is a private or local one', {
    phase: 'connect',
    remedy: 'set `private`',
  });
}
