import { createHash, createHmac } from 'node:crypto';
import { given } from '../../../../kernel/index.ts';
import type { DeliveryState } from '../../../runtime/contract.ts';
import { signatureFault } from '../auth/fault.ts';
import { equal, findSecret, skewWithin } from '../auth/hmac.ts';
import type { Signature } from '../auth/proof.ts';
import { meaning, tableOf, text, time } from '../vendors/read.ts';
import { jsonFixture, snippet } from '../vendors/vendor.ts';
import { defineReports } from './define.ts';

const header = 'authorization';

// developer.vonage.com/en/api/messages#message-status
const states = tableOf<DeliveryState>({
  sent: ['submitted'],
  delivered: ['delivered'],
  undelivered: ['undeliverable'],
  rejected_later: ['rejected'],
  read: ['read'],
});

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const [head = '', claims = ''] = token.split('.').map((one) => Buffer.from(one, 'base64url').toString());
    const { alg } = JSON.parse(head) as { readonly alg?: unknown };
    return alg === 'HS256' ? { ...(JSON.parse(claims) as object) } : {};
  } catch {
    return {};
  }
}

// developer.vonage.com/en/getting-started/concepts/webhooks#decoding-signed-webhooks
const signature: Signature = {
  verify({ headers, raw }, secrets, settings, nowMs) {
    const token = /^bearer (\S+)$/i.exec(headers[header] ?? '')?.[1] ?? '';
    const [head = '', claims = '', mac = ''] = token.split('.');
    const presented = [Buffer.from(mac, 'base64url')];
    const signed = [Buffer.from(`${head}.${claims}`)];
    const version = findSecret({ algorithm: 'sha256', secrets, signed, presented });
    const { iat, payload_hash } = claimsOf(token);
    const skew = skewWithin(String(iat), settings.tolerance_s ?? 300, nowMs);
    const covers = equal(String(payload_hash).toLowerCase(), digestOf(raw));
    if (version === undefined || skew === undefined || !covers) return undefined;
    return { strength: 'strong', scheme: 'vonage.jwt', ...given({ secret_version: version, clock_skew_ms: skew }) };
  },
  fault: ({ headers }, _settings, nowMs) =>
    signatureFault(
      {
        ...{
          header,
          value: headers[header],
          form: '`Bearer` and a JWT',
          signatures: headers[header]?.includes('.') ? 1 : 0,
        },
        made: 'a JWT by HS256 with `iat` of the last 5 minutes and `payload_hash`, the SHA-256 of the body; the key is the signature secret of the account',
      },
      nowMs,
    ),
  sign(body, secret, _settings, nowMs) {
    const claims = { iat: Math.floor(nowMs / 1000), iss: 'Vonage', payload_hash: digestOf(body) };
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
    return { [header]: `Bearer ${text}.${createHmac('sha256', secret).update(text).digest('base64url')}` };
  },
};

/** Vonage Messages: status webhooks, with our key in `client_ref`. */
export const vonage = defineReports({
  name: 'vonage',
  schemes: ['signature', 'url'],
  signature,
  read(body) {
    const state = meaning(states, text(body, 'status'));
    if (state === undefined) return [];
    const code = text(body, 'error', 'code') ?? text(body, 'error', 'title');
    const [key, vendor_id] = [text(body, 'client_ref'), text(body, 'message_uuid')];
    return [{ key, vendor_id, state, at: time(body, 'timestamp'), code }];
  },
  fixture: (nowMs, id) =>
    jsonFixture({ message_uuid: id, status: 'delivered', timestamp: new Date(nowMs).toISOString(), channel: 'sms' }),
  setup: ({ url }) => ({
    steps: [
      'Dashboard → Settings: set `secret` of the source to the signature secret. `may_name.providers` names the provider.',
      'Applications → Messages → Status URL: enter the address, for messages that name no address of their own.',
    ],
    snippets: [snippet('Status URL', url)],
  }),
});
