import { createHash, createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { expect } from 'chai';
import { authenticate, authorize } from '../../../../../plugins/ingestion/sources/auth/authenticate.ts';
import type { Arrival } from '../../../../../plugins/ingestion/sources/auth/proof.ts';
import { vendors } from '../../../../../plugins/ingestion/sources/vendor-list.ts';
import { reportVendorNames } from '../../../../../plugins/ingestion/signals/words.ts';

type Name = (typeof reportVendorNames)[number];

const nowMs = Date.UTC(2026, 10, 21, 12);
const seconds = nowMs / 1000;
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const url = 'https://orb.example.com/hooks/t?key=k';
const jwtPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (claims: object, secret = 'secret', alg = 'HS256'): string => {
  const text = `${jwtPart({ alg, typ: 'JWT' })}.${jwtPart(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const body = '{"status":"delivered"}';
const mailgunBody = (token: string, at = seconds): string => {
  const signature = createHmac('sha256', 'secret').update(`${at}${token}`).digest('hex');
  return JSON.stringify({ signature: { timestamp: String(at), token, signature }, 'event-data': {} });
};
const svix = (id: string, secret: string): Record<string, string> => {
  const mac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64');
  return { 'svix-id': id, 'svix-timestamp': String(seconds), 'svix-signature': `v1,${mac}` };
};
const ecdsa = (text: string): string => signBytes('sha256', Buffer.from(text), pair.privateKey).toString('base64');
const twilioMac = (text: string): string => createHmac('sha1', 'secret').update(text).digest('base64');
const sendgridHeaders = (mac: string, at = seconds) => ({
  'x-twilio-email-event-webhook-signature': mac,
  'x-twilio-email-event-webhook-timestamp': String(at),
});
const claims = { iat: seconds, payload_hash: hash(body) };
const whsec = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

interface Signed {
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly raw?: string;
  readonly url?: string;
}

// As each vendor signs, and what must not pass.
const proofs: readonly (readonly [Name, what: string, secret: string, signed: Signed, strength?: string])[] = [
  [
    'twilio',
    'the sorted fields',
    'secret',
    { raw: 'b=2&a=1', headers: { ...form, 'x-twilio-signature': twilioMac(`${url}a1b2`) } },
    'strong',
  ],
  [
    'twilio',
    'an address with its port',
    'secret',
    { raw: 'a=1', headers: { ...form, 'x-twilio-signature': twilioMac(`${url.replace('.com', '.com:443')}a1`) } },
    'strong',
  ],
  [
    'twilio',
    'a body by its digest',
    'secret',
    {
      url: `${url}&bodySHA256=${hash(body)}`,
      query: { bodySHA256: hash(body) },
      headers: { 'x-twilio-signature': twilioMac(`${url}&bodySHA256=${hash(body)}`) },
    },
    'strong',
  ],
  [
    'twilio',
    'a body that the digest does not cover',
    'secret',
    { url, headers: { 'x-twilio-signature': twilioMac(url) } },
  ],
  [
    'twilio',
    'another address',
    'secret',
    { raw: 'a=1', headers: { ...form, 'x-twilio-signature': twilioMac(`${url}xa1`) } },
  ],
  ['vonage', 'the body by its digest', 'secret', { headers: { authorization: `Bearer ${jwt(claims)}` } }, 'strong'],
  ['vonage', 'another body', 'secret', { raw: '{}', headers: { authorization: `Bearer ${jwt(claims)}` } }],
  [
    'vonage',
    'an old time',
    'secret',
    { headers: { authorization: `Bearer ${jwt({ ...claims, iat: seconds - 301 })}` } },
  ],
  ['vonage', 'no digest', 'secret', { headers: { authorization: `Bearer ${jwt({ iat: seconds })}` } }],
  ['vonage', 'another algorithm', 'secret', { headers: { authorization: `Bearer ${jwt(claims, 'secret', 'none')}` } }],
  ['vonage', 'another secret', 'secret', { headers: { authorization: `Bearer ${jwt(claims, 'other')}` } }],
  ['mailgun', 'time and token', 'secret', { raw: mailgunBody('t') }, 'shared_secret'],
  ['mailgun', 'an old time', 'secret', { raw: mailgunBody('t', seconds - 13 * 3600) }],
  ['mailgun', 'another secret', 'other', { raw: mailgunBody('t') }],
  ['mailgun', 'no JSON', 'secret', { raw: '{' }],
  ['resend', 'id, time and body', whsec, { headers: svix('msg_1', whsec) }, 'strong'],
  ['resend', 'another body', whsec, { raw: '{}', headers: svix('msg_1', whsec) }],
  ['sendgrid', 'time and body', publicKey, { headers: sendgridHeaders(ecdsa(`${seconds}${body}`)) }, 'strong'],
  ['sendgrid', 'another body', publicKey, { raw: '[]', headers: sendgridHeaders(ecdsa(`${seconds}${body}`)) }],
  ['sendgrid', 'another time', publicKey, { headers: sendgridHeaders(ecdsa(`${seconds}${body}`), seconds - 1) }],
  ['sendgrid', 'a secret that is no key', 'secret', { headers: sendgridHeaders(ecdsa(`${seconds}${body}`)) }],
];

describe('the signatures of delivery reports', () => {
  it('are all in the table', () => {
    const signing = reportVendorNames.filter((name) => vendors[name].signature !== undefined);
    expect([...new Set(proofs.map(([name]) => name))].sort()).to.deep.equal([...signing].sort());
  });

  for (const [name, what, secret, { headers = {}, query = {}, raw = body, url: called = url }, strength] of proofs)
    it(`${name}: ${strength === undefined ? 'refuses' : 'takes'} a signature of ${what}`, () => {
      const arrival: Arrival = { method: 'POST', headers, query, raw: Buffer.from(raw), url: called };
      const proof = authenticate(
        vendors[name],
        arrival,
        [{ version: 1, text: secret }],
        { scheme: 'signature' },
        nowMs,
      );
      expect(proof?.strength).to.equal(strength);
    });

  for (const name of reportVendorNames)
    it(`${name}: its own signature of its example passes, where the server can make one`, () => {
      const vendor = vendors[name];
      const { headers, body: text } = vendor.fixture(nowMs, 'id-1');
      const [scheme = 'url'] = vendor.schemes;
      const secret = name === 'resend' ? whsec : 'a-made-up-secret';
      const signed = authorize(vendor, Buffer.from(text), secret, { scheme }, nowMs);
      expect(signed === undefined).to.equal(['mailgun', 'sendgrid'].includes(name));
      if (signed === undefined) return;
      const arrival: Arrival = {
        method: 'POST',
        headers: { ...headers, ...signed },
        query: {},
        raw: Buffer.from(text),
      };
      const proof = authenticate(vendor, arrival, [{ version: 1, text: secret }], { scheme }, nowMs);
      expect(proof?.strength).to.equal({ signature: 'strong', url: 'url_token' }[String(scheme)] ?? 'shared_secret');
    });
});
