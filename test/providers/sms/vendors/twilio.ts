import twilio from '../../../../providers/sms/twilio.ts';
import type { VendorReply, VendorRequest } from '../../../helpers/vendor.ts';
import { answersOf, senders, type SmsBed } from './bed.ts';

const account = `AC${'0a'.repeat(16)}`;
const keySid = `SK${'1b'.repeat(16)}`;
const secret = 'twilio_secret_Zx81';
const sid = `SM${'2c'.repeat(16)}`;

/** The credentials of the double, for the vendor's own client. */
export const credentials = { account, keySid, secret };

// twilio.com/docs/messaging/api/message-resource#create-a-message
const known: Readonly<Record<string, RegExp>> = {
  To: /^\+[1-9]\d{6,14}$/,
  From: /^(?:\+[1-9]\d{1,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 &_+-]{1,11})$/,
  MessagingServiceSid: /^MG[0-9a-f]{32}$/,
  Body: /^[^]{1,1600}$/,
  StatusCallback: /^https?:\/\/\S+$/,
  ValidityPeriod: /^(?:[1-9]\d{0,3}|[12]\d{4}|3[0-5]\d{3}|36000)$/,
  SmartEncoded: /^(?:true|false)$/,
  ShortenUrls: /^(?:true|false)$/,
};

const error = (code: number, status = 400): VendorReply => ({
  status,
  body: { code, message: 'about +4915123456789', more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

const form = ({ body }: VendorRequest): URLSearchParams => new URLSearchParams(body.toString('utf8'));

function contract(request: VendorRequest): VendorReply {
  const { method, path, headers } = request;
  const authorization = `Basic ${Buffer.from(`${keySid}:${secret}`).toString('base64')}`;
  if (headers['authorization'] !== authorization) return error(20003, 401);
  if (method !== 'POST' || path !== `/2010-04-01/Accounts/${account}/Messages.json`) return error(20404, 404);
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') return error(20001, 415);
  const fields = form(request);
  if (!fields.has('To')) return error(21604);
  if (!fields.has('Body')) return error(21602);
  if (fields.has('From') === fields.has('MessagingServiceSid')) return error(21603);
  if (!known['To']?.test(fields.get('To') ?? '')) return error(21211);
  const names = [...fields.keys()];
  if (names.some((name) => !known[name]?.test(fields.get(name) ?? '')) || new Set(names).size < names.length)
    return error(20001);
  return success;
}

// The example of the documentation, shortened.
const success: VendorReply = {
  status: 201,
  body: {
    ...{ account_sid: account, sid, status: 'queued', num_segments: '1', num_media: '0', direction: 'outbound-api' },
    ...{ api_version: '2010-04-01', error_code: null, error_message: null, price: null, price_unit: 'USD' },
    ...{ date_created: 'Thu, 24 Aug 2023 05:01:45 +0000', date_updated: 'Thu, 24 Aug 2023 05:01:45 +0000' },
    ...{ body: 'Hello', to: '+4915123456789', from: '+4915100000000', uri: `/Messages/${sid}.json` },
  },
};

export const twilioBed: SmsBed = {
  adapter: twilio,
  config: (url) => ({ account_sid: account, key_sid: keySid, key_secret: secret, senders, base_url: url }),
  secrets: [secret, Buffer.from(`${keySid}:${secret}`).toString('base64')],
  credential: 'key_secret',
  contract,
  posted(request) {
    const fields = form(request);
    const optional = (name: string): string | undefined => fields.get(name) ?? undefined;
    return {
      to: fields.get('To') ?? '',
      from: fields.get('From') ?? fields.get('MessagingServiceSid') ?? '',
      text: fields.get('Body') ?? '',
      validity: optional('ValidityPeriod'),
      report_url: optional('StatusCallback'),
    } as ReturnType<SmsBed['posted']>;
  },
  success,
  outputs: { message_id: sid, status: 'queued', segments: 1, encoding: 'gsm7', vendor_segments: 1 },
  unproven: [
    { status: 201, body: { status: 'queued' } },
    { status: 201, body: { sid } },
    { status: 201, body: { sid, status: 'undelivered' } },
    { status: 201, body: '{"sid": "SM' },
  ],
  answers: answersOf('twilio'),
};
