import { decodeBase64 } from '../../../receipts/format/base64.ts';
import { isRecord, parseJson } from '../../../receipts/format/strict-json.ts';
import type * as declared from './declared.ts';
import type { WebhookHeaders, WebhookResult } from './declared.ts';
import { OrbError } from './error.ts';
import { joined, utf8 } from './verify/bytes.ts';

const refuse = (reason: Extract<WebhookResult, { ok: false }>['reason']): WebhookResult => ({ ok: false, reason });

// Standard Webhooks: HMAC with a secret, or Ed25519 with a key of the server.
const hmac = { version: 'v1', by: { name: 'HMAC', hash: 'SHA-256' }, prefix: 'whsec_' } as const;
const ed25519 = { version: 'v1a', by: 'Ed25519', prefix: 'whpk_' } as const;

/** Verifies a callback. */
export const verifyWebhook: typeof declared.verifyWebhook = async (
  headers,
  body,
  { keys = [], now = Date.now(), secrets = [], subscription, toleranceS = 300 },
) => {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new OrbError('body', 'give the body as it came, as text or bytes: a parsed one has other bytes');
  if (keys.length > 0 && subscription === undefined)
    throw new OrbError('subscription', 'with public keys, name the subscription: one key signs for all receivers');
  const [id, seconds, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !signatures || !/^\d{1,12}$/.test(seconds ?? '')) return refuse('header');
  const bytes = typeof body === 'string' ? utf8(body) : body;
  const signed = joined(utf8(`${id}.${seconds}.`), bytes);
  const isBySecret = await isSigned(signed, signatures, secrets, hmac);
  if (!isBySecret && !(await isSigned(signed, signatures, keys, ed25519))) return refuse('signature');
  if (Math.abs(now / 1000 - Number(seconds)) > toleranceS) return refuse('timestamp');
  return eventOf(id, bytes, subscription);
};

async function isSigned(
  signed: Uint8Array,
  signatures: string,
  texts: readonly string[],
  { by, prefix, version }: typeof ed25519 | typeof hmac,
): Promise<boolean> {
  const given = signatures.split(' ').map((one) => one.split(','));
  const all = given.flatMap(([name, text = '']) => (name === version ? (decodeBase64(text) ?? []) : []));
  for (const text of texts) {
    const bytes = decodeBase64(text.startsWith(prefix) ? text.slice(prefix.length) : text);
    if (bytes === undefined || (by === 'Ed25519' && bytes.length !== 32)) continue;
    const key = await crypto.subtle.importKey('raw', bytes, by, false, ['verify']);
    // It compares in constant time.
    const checked = all.map((signature) => crypto.subtle.verify(by, key, signature, signed));
    if ((await Promise.all(checked)).includes(true)) return true;
  }
  return false;
}

function eventOf(id: string, bytes: Uint8Array, subscription: string | undefined): WebhookResult {
  const event = parseJson(new TextDecoder().decode(bytes));
  const { data, time, timestamp = time, type } = isRecord(event) ? event : {};
  if (typeof type !== 'string' || !isRecord(data)) return refuse('body');
  if (subscription !== undefined && data['subscription_id'] !== subscription) return refuse('subscription');
  return { ok: true, id, type: type.replace(/^agent-orb\./, ''), timestamp: String(timestamp), data };
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.[0];
}
