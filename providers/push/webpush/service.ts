import { exactly, optional, type Infer } from '../../../kernel/adapter.ts';
import { createAllowList, type AllowList } from '../../../kernel/outbound.ts';
import { member, textMember } from '../../vendor/http/json.ts';
import type { Answer } from '../../vendor/http/client.ts';
import { accepted, type Vendor } from '../../vendor/http/refusal.ts';

/** The setting for push services beside those of browsers; any other host is refused, since a stranger names it. */
export const pushHosts = {
  type: 'array',
  title: 'More push services',
  description: 'Hosts of push services beside those of Chrome, Edge, Firefox and Safari, which are always allowed.',
  minItems: 1,
  maxItems: 100,
  items: {
    // Others may control names under a wildcard.
    if: { required: ['private'], properties: { private: { const: true } } },
    then: { properties: { host: { pattern: '^[^*]' } } },
    ...exactly({
      host: {
        type: 'string',
        title: 'Host',
        description: 'A host name or an address, or `*.name` for all names below it; in lower case.',
        pattern:
          '^(?:(?:\\*\\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\\[[0-9a-f:.]+\\])$',
        maxLength: 255,
      },
      port: optional({ type: 'integer', title: 'Port', description: 'Default: 443.', minimum: 1, maximum: 65535 }),
      private: optional({
        type: 'boolean',
        title: 'May have a private or local address',
        description: 'Applies to exactly this host and port; not with a wildcard. On this machine it may be http.',
      }),
    }),
  },
} as const;

// The services of Chrome and its relatives, Firefox, Safari and Edge.
const known = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];

/** Makes the list of hosts that may be called. Throws ProviderError when an entry of the operator is no host. */
export function servicesOf(added: Infer<typeof pushHosts> = []): AllowList {
  return createAllowList([...known.map((host) => ({ host })), ...added]);
}

const gone = { outcome: 'rejected', reason: 'recipient_gone' } as const;

/** How push services answer where HTTP alone would be read wrongly. */
export const pushService: Vendor = {
  title: 'the push service',
  credentials: '`private_key`, `public_key` and `subject`',
  // Apple names a reason; Mozilla has a number of its own (mozilla-services.github.io/autopush-rs/errors.html).
  code: ({ body }) => textMember(body, 'reason') ?? numberOf(member(body, 'errno')),
  outcome({ status }, code) {
    // RFC 8030 §7.3 says 404 and Mozilla, Apple and Google say 410 of a subscription that has ended.
    if (status === 404 || status === 410) return gone;
    // developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers
    if (code === 'VapidPkHashMismatch') return gone;
    if (code === 'BadJwtToken') return 'provider_fault';
    if (status === 413) return { outcome: 'rejected', reason: 'content_too_long' };
    // learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/push-request-response-headers
    if (status === 406) return 'throttled';
    return undefined;
  },
};

/**
 * Returns the id of an accepted message, else `own`. Throws ProviderError for any other answer. The status alone proves
 * acceptance (RFC 8030 §5): 201, or 202 of services that deliver later; Apple and Microsoft name the id elsewhere.
 */
export function idOf(answer: Answer, own: string): string {
  const { headers, status } = answer;
  const given = headers['location'] ?? headers['apns-id'] ?? headers['x-wns-msg-id'];
  const shown = given !== undefined && /^[!-~]{1,998}$/u.test(given) ? given : own;
  return accepted(pushService, answer, status === 201 || status === 202 ? shown : undefined);
}

function numberOf(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : undefined;
}
