import { fromBase64 } from './base64.ts';
import type { WebhookHeaders, WebhookKeys, WebhookResult } from './declared.ts';
import { OrbError } from './error.ts';
import { isObject } from './outcome.ts';

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
  const of = (version: string): Bytes[] =>
    given.flatMap(([name, text = '']) => (name === version ? (fromBase64(text) ?? []) : []));
  const bySecret = await anyOf(secrets, 'whsec_', (key) => anyHmac(key, of('v1'), signed));
  const isSigned = bySecret || (await anyOf(keys, 'whpk_', (key) => anyEd25519(key, of('v1a'), signed)));
  if (!isSigned) return refuse('signature');
  if (Math.abs(now / 1000 - Number(seconds)) > toleranceS) return refuse('timestamp');
  return eventOf(id, bytes, subscription);
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

async function anyOf(
  texts: readonly string[],
  prefix: string,
  check: (key: Bytes) => Promise<boolean>,
): Promise<boolean> {
  for (const text of texts) {
    const key = fromBase64(text.startsWith(prefix) ? text.slice(prefix.length) : text);
    if (key !== undefined && (await check(key))) return true;
  }
  return false;
}

// `verify` of WebCrypto compares in constant time.
async function anyHmac(secret: Bytes, signatures: readonly Bytes[], signed: Bytes): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const checked = signatures.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed));
  return (await Promise.all(checked)).includes(true);
}

async function anyEd25519(publicKey: Bytes, signatures: readonly Bytes[], signed: Bytes): Promise<boolean> {
  if (publicKey.length !== 32) return false;
  const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
  const checked = signatures.map((signature) => crypto.subtle.verify('Ed25519', key, signature, signed));
  return (await Promise.all(checked)).includes(true);
}
