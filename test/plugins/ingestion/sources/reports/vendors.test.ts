import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { parsePayload } from '../../../../../plugins/ingestion/sources/payload/parse.ts';
import { vendors } from '../../../../../plugins/ingestion/sources/vendor-list.ts';
import { reportVendorNames } from '../../../../../plugins/ingestion/signals/words.ts';

type Name = (typeof reportVendorNames)[number];

const key = 'i5t7gkir4qkwggt2zu44uub7smgzaideg443ux7wylw2rfj5fadq';
const nowMs = Date.UTC(2026, 10, 21, 12);
const noon = '2026-11-21T12:00:00Z';
const seconds = nowMs / 1000;
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const recipient = hash('ada@example.org').slice(0, 16);

interface Read {
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly method?: 'GET' | 'POST';
}

function read(name: Name, body: unknown, { headers = {}, query = {}, method = 'POST' }: Read = {}): object[] {
  const vendor = vendors[name];
  const raw = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const arrival = { method, headers, query, raw };
  const parse = (bytes: Uint8Array) => parsePayload(bytes, 1000);
  const payload = vendor.decode?.(arrival, parse);
  return vendor
    .normalize({ payload, headers, query, settings: { auth: { scheme: 'url' } } })
    .map(({ episode_key, labels, occurred_at, vendor_event_id: id }) => ({
      episode_key,
      ...labels,
      at: occurred_at,
      id,
    }));
}

const noted = { key, episode_key: `key:${key}` };
const event = (event_data: object) => ({ 'event-data': { 'user-variables': { orb_key: key }, ...event_data } });
const mail = { messageId: 'ses-1', tags: { orb_key: [key] } };

// What each vendor documents of each state, and what is read of it.
const rows: readonly (readonly [Name, body: unknown, expected: object | undefined, from?: Read])[] = [
  ['twilio', 'MessageSid=SM1&MessageStatus=accepted', { state: 'accepted' }, { headers: form, query: { key } }],
  ['twilio', 'MessageSid=SM1&MessageStatus=sending', { state: 'queued' }, { headers: form, query: { key } }],
  [
    'twilio',
    'MessageSid=SM1&MessageStatus=sent',
    { state: 'sent', id: 'SM1', ...noted },
    { headers: form, query: { key } },
  ],
  ['twilio', 'SmsSid=SM1&SmsStatus=delivered', { state: 'delivered', id: 'SM1' }, { headers: form }],
  [
    'twilio',
    'MessageSid=SM1&MessageStatus=failed&ErrorCode=30007',
    { state: 'rejected_later', code: '30007' },
    { headers: form },
  ],
  ['twilio', 'MessageSid=SM1&MessageStatus=undelivered', { state: 'undelivered' }, { headers: form }],
  ['twilio', 'MessageSid=SM1&MessageStatus=receiving', undefined, { headers: form }],
  [
    'vonage',
    { message_uuid: 'v1', status: 'submitted', client_ref: key, timestamp: noon },
    { state: 'sent', id: 'v1', at: nowMs, ...noted },
  ],
  ['vonage', { message_uuid: 'v1', status: 'delivered', client_ref: key }, { state: 'delivered' }],
  [
    'vonage',
    { message_uuid: 'v1', status: 'rejected', client_ref: key, error: { title: '1240' } },
    { state: 'rejected_later', code: '1240' },
  ],
  [
    'vonage',
    { message_uuid: 'v1', status: 'undeliverable', client_ref: key, error: { code: 1250 } },
    { state: 'undelivered', code: '1250' },
  ],
  ['vonage', { message_uuid: 'v1', status: 'typing' }, undefined],
  ['kannel', `key=${key}&status=1`, { state: 'delivered', ...noted }, { method: 'GET', query: { key } }],
  ['kannel', `key=${key}&status=2`, { state: 'undelivered' }, { method: 'GET', query: { key } }],
  ['kannel', `key=${key}&status=4`, { state: 'queued' }, { method: 'GET', query: { key } }],
  ['kannel', `key=${key}&status=8`, { state: 'sent' }, { method: 'GET', query: { key } }],
  ['kannel', `key=${key}&status=16`, { state: 'rejected_later' }, { method: 'GET', query: { key } }],
  ['kannel', `key=${key}&status=%25d`, undefined, { method: 'GET', query: { key } }],
  [
    'postmark',
    {
      RecordType: 'Delivery',
      MessageID: 'p1',
      Recipient: 'Ada@example.org',
      DeliveredAt: noon,
      Metadata: { orb_key: key },
    },
    { state: 'delivered', id: 'p1', at: nowMs, part: recipient, ...noted },
  ],
  [
    'postmark',
    {
      RecordType: 'Bounce',
      Type: 'HardBounce',
      MessageID: 'p1',
      Email: 'ada@example.org',
      BouncedAt: noon,
      Metadata: { orb_key: key },
    },
    { state: 'undelivered', code: 'HardBounce', part: recipient },
  ],
  ['postmark', { RecordType: 'Bounce', Type: 'AutoResponder', MessageID: 'p1', Metadata: { orb_key: key } }, undefined],
  ['postmark', { RecordType: 'SpamComplaint', MessageID: 'p1', Metadata: { orb_key: key } }, undefined],
  [
    'mailgun',
    event({ event: 'delivered', timestamp: seconds, recipient: 'ada@example.org' }),
    { state: 'delivered', at: nowMs, part: recipient, ...noted },
  ],
  [
    'mailgun',
    event({ event: 'failed', severity: 'permanent', 'delivery-status': { code: 550 } }),
    { state: 'undelivered', code: '550' },
  ],
  ['mailgun', event({ event: 'failed', severity: 'temporary' }), { state: 'sent' }],
  ['mailgun', event({ event: 'rejected' }), { state: 'rejected_later' }],
  ['mailgun', event({ event: 'unsubscribed' }), undefined],
  [
    'resend',
    { type: 'email.delivered', created_at: noon, data: { email_id: 'r1', tags: { orb_key: key } } },
    { state: 'delivered', id: 'r1', at: nowMs, ...noted },
  ],
  [
    'resend',
    {
      type: 'email.bounced',
      data: { email_id: 'r1', tags: [{ name: 'orb_key', value: key }], bounce: { type: 'Permanent' } },
    },
    { state: 'undelivered', code: 'Permanent', ...noted },
  ],
  ['resend', { type: 'email.delivery_delayed', data: { email_id: 'r1', tags: { orb_key: key } } }, { state: 'sent' }],
  ['resend', { type: 'contact.created', data: {} }, undefined],
  [
    'sendgrid',
    [{ event: 'processed', orb_key: key, timestamp: seconds, sg_message_id: 's1' }],
    { state: 'queued', id: 's1', at: nowMs, ...noted },
  ],
  [
    'sendgrid',
    [{ event: 'bounce', orb_key: key, email: 'ada@example.org', status: '5.1.1' }],
    { state: 'undelivered', part: recipient, code: '5.1.1' },
  ],
  ['sendgrid', [{ event: 'dropped', orb_key: key }], { state: 'rejected_later' }],
  ['sendgrid', [{ event: 'spamreport', orb_key: key }], undefined],
  [
    'ses',
    {
      id: 'e1',
      detail: { eventType: 'Delivery', mail, delivery: { timestamp: noon, recipients: ['ada@example.org'] } },
    },
    { state: 'delivered', id: 'ses-1', at: nowMs, part: recipient, ...noted },
  ],
  [
    'ses',
    {
      id: 'e1',
      detail: {
        eventType: 'Bounce',
        mail,
        bounce: { bounceSubType: 'General', bouncedRecipients: [{ emailAddress: 'ada@example.org' }] },
      },
    },
    { state: 'undelivered', code: 'General', part: recipient },
  ],
  ['ses', { id: 'e1', time: noon, detail: { eventType: 'Send', mail } }, { state: 'accepted', at: nowMs }],
  ['ses', { id: 'e1', detail: { eventType: 'Complaint', mail } }, undefined],
];

describe('the vendors of delivery reports', () => {
  it('are all in the tables', () => {
    expect([...new Set(rows.map(([name]) => name))].sort()).to.deep.equal([...reportVendorNames].sort());
  });

  for (const [name, sent, expected, from] of rows)
    it(`${name}: ${JSON.stringify(sent).slice(0, 90)} is ${expected === undefined ? 'nothing' : JSON.stringify(expected).slice(0, 40)}`, () => {
      const found = read(name, sent, from);
      if (expected === undefined) expect(found).to.deep.equal([]);
      else expect(found[0]).to.deep.include(expected);
    });

  for (const name of reportVendorNames)
    it(`${name}: its example is a report`, () => {
      const { headers, body: text } = vendors[name].fixture(nowMs, 'id-1');
      expect(read(name, text, { headers, query: { key } })[0]).to.include({ state: 'delivered' });
    });

  it('read no report that names no message', () => {
    expect(() => read('vonage', { status: 'delivered' })).to.throw('names no message');
  });
});
