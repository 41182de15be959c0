import { createHash, createHmac } from 'node:crypto';
import type { DeliveryState } from '../../../runtime/contract.ts';
import { signatureFault } from '../auth/fault.ts';
import { equal, findSecret, fromBase64 } from '../auth/hmac.ts';
import type { Arrival, Signature } from '../auth/proof.ts';
import { meaning, tableOf, text } from '../vendors/read.ts';
import { snippet } from '../vendors/vendor.ts';
import { defineReports } from './define.ts';

const header = 'x-twilio-signature';
// Of accounts that sign with a shared key: key=…,algorithm=HMAC_SHA256.
const settingsHeader = 'x-twilio-webhooks-signature-settings';

// twilio.com/docs/messaging/api/message-resource#message-status-values
const states = tableOf<DeliveryState>({
  accepted: ['accepted', 'scheduled'],
  queued: ['queued', 'sending'],
  sent: ['sent'],
  delivered: ['delivered'],
  undelivered: ['undelivered'],
  rejected_later: ['failed', 'canceled'],
  read: ['read'],
});

// twilio.com/docs/usage/security#validating-requests: the address and the sorted fields of the form, name and value.
function signedText(url: string, { headers, raw }: Pick<Arrival, 'headers' | 'raw'>): string {
  if (!isForm(headers)) return url;
  const form = new URLSearchParams(Buffer.from(raw).toString());
  const names = [...new Set(form.keys())].sort();
  return (
    url +
    names
      .map((name) =>
        [...new Set(form.getAll(name))]
          .sort()
          .map((value) => name + value)
          .join(''),
      )
      .join('')
  );
}

// Twilio signs an address with its port or without it, whichever it called.
function addressesOf(url: string): readonly string[] {
  if (!URL.canParse(url)) return [url];
  const { protocol, port } = new URL(url);
  const other =
    port === ''
      ? url.replace(/^(https?:\/\/[^/]+)/, `$1:${protocol === 'https:' ? 443 : 80}`)
      : url.replace(`:${port}/`, '/');
  return [url, other];
}

function isForm(headers: Arrival['headers']): boolean {
  return (headers['content-type'] ?? '').toLowerCase().startsWith('application/x-www-form-urlencoded');
}

// A body that is no form is covered by its digest in the address.
function isCovered({ headers, query, raw }: Arrival): boolean {
  const digest = createHash('sha256').update(raw).digest('hex');
  return isForm(headers) || equal(query['bodySHA256'] ?? '', digest);
}

const signature: Signature = {
  verify(arrival, secrets) {
    const { headers, url = '' } = arrival;
    const signed = addressesOf(url).map((one) => Buffer.from(signedText(one, arrival)));
    const presented = [fromBase64(headers[header] ?? '')].filter((mac) => mac !== undefined);
    const isShared = /\balgorithm=HMAC_SHA256(?:,|$)/i.test(headers[settingsHeader] ?? '');
    const algorithm = isShared ? 'sha256' : 'sha1';
    const secret_version = findSecret({ algorithm, secrets, signed, presented });
    if (secret_version === undefined || !isCovered(arrival)) return undefined;
    return { strength: 'strong', scheme: `twilio.${algorithm}`, secret_version };
  },
  fault: ({ headers }, _settings, nowMs) =>
    signatureFault(
      {
        ...{ header, value: headers[header], form: 'base64', signatures: fromBase64(headers[header] ?? '') ? 1 : 0 },
        made: 'the HMAC-SHA1 of the address by `ORB_PUBLIC_URL` and the sorted fields of the form in base64; the key is the auth token of the account',
      },
      nowMs,
    ),
  sign: (body, secret) => {
    const text = signedText('', { headers: form, raw: body });
    return { [header]: createHmac('sha1', secret).update(text).digest('base64') };
  },
};

const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** Twilio: status callbacks of messages; each call names its own address. */
export const twilio = defineReports({
  name: 'twilio',
  schemes: ['signature', 'url'],
  signature,
  read(body) {
    const state = meaning(states, text(body, 'MessageStatus') ?? text(body, 'SmsStatus'));
    if (state === undefined) return [];
    return [{ state, vendor_id: text(body, 'MessageSid') ?? text(body, 'SmsSid'), code: text(body, 'ErrorCode') }];
  },
  fixture: (_, id) => ({
    headers: form,
    body: new URLSearchParams({ MessageSid: `SM${id.replaceAll('-', '')}`, MessageStatus: 'delivered' }).toString(),
  }),
  setup: ({ url }) => ({
    steps: [
      'Set `secret` of the source to the auth token of the account: Twilio signs with it. `may_name.providers` names the provider.',
      'There is nothing to enter at Twilio: each message names the address of its own reports.',
    ],
    snippets: [snippet('Address of the source', url)],
  }),
});
