import type { WebhookHeaders, WebhookKeys, WebhookResult } from './declared.ts';
import { OrbError } from './error.ts';
import { decodeBase64 } from './verify/base64.ts';
import { isObject } from './verify/object.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const refuse = (reason: Extract<WebhookResult, { ok: false }>['reason']): WebhookResult => ({ ok: false, reason });

/** Verifies a callback by Standard Webhooks: HMAC (`v1`) with a secret, or Ed25519 (`v1a`) with a key of the server. */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: Uint8Array | string,
  { keys = [], now = Date.now(), secrets = [], subscription, toleranceS = 300 }: WebhookKeys,
): Promise<WebhookResult> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new OrbError('body', 'give the body as it came, as text or bytes: a parsed one has other bytes');
  if (keys.length > 0 && subscription === undefined)
    throw new OrbError('subscription', 'with public keys, name the subscription: one key signs for all receivers');
  const [id, seconds, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !signatures || !/^\d{1,12}$/.test(seconds ?? '')) return refuse('header');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${seconds}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const given = signatures.split(' ').map((one) => one.split(','));
  const bySecret = await isSigned(signed, given, { version: 'v1', by: hmac, texts: secrets, prefix: 'whsec_' });
  const byKey = await isSigned(signed, given, { version: 'v1a', by: 'Ed25519', texts: keys, prefix: 'whpk_' });
  if (!bySecret && !byKey) return refuse('signature');
  if (Math.abs(now / 1000 - Number(seconds)) > toleranceS) return refuse('timestamp');
  return eventOf(id, bytes, subscription);
}

const hmac = { name: 'HMAC', hash: 'SHA-256' } as const;

interface Way {
  readonly version: string;
  readonly by: 'Ed25519' | typeof hmac;
  readonly texts: readonly string[];
  readonly prefix: string;
}

async function isSigned(
  signed: Bytes,
  given: readonly (readonly string[])[],
  { by, prefix, texts, version }: Way,
): Promise<boolean> {
  const signatures = given.flatMap(([name, text = '']) => (name === version ? (decodeBase64(text) ?? []) : []));
  for (const text of texts) {
    const bytes = decodeBase64(text.startsWith(prefix) ? text.slice(prefix.length) : text);
    if (bytes === undefined || (by === 'Ed25519' && bytes.length !== 32)) continue;
    const key = await crypto.subtle.importKey('raw', bytes, by, false, ['verify']);
    // It compares in constant time.
    const checked = signatures.map((signature) => crypto.subtle.verify(by, key, signature, signed));
    if ((await Promise.all(checked)).includes(true)) return true;
  }
  return false;
}

function eventOf(id: string, bytes: Uint8Array, subscription: string | undefined): WebhookResult {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return refuse('body');
  }
  const { data, time, timestamp = time, type } = isObject(event) ? event : {};
  if (typeof type !== 'string' || !isObject(data)) return refuse('body');
  if (subscription !== undefined && data['subscription_id'] !== subscription) return refuse('subscription');
  return { ok: true, id, type: type.replace(/^agent-orb\./, ''), timestamp: String(timestamp), data };
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.[0];
}
