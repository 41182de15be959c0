import { createHash } from 'node:crypto';
import { verifySignature } from '@vonage/jwt';
import { expect } from 'chai';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { Webhook } from 'standardwebhooks';
import twilioClient from 'twilio';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { authenticate, authorize } from '../../../../../plugins/ingestion/sources/auth/authenticate.ts';
import type { Arrival } from '../../../../../plugins/ingestion/sources/auth/proof.ts';
import { vendors } from '../../../../../plugins/ingestion/sources/vendor-list.ts';

const secret = 'a-made-up-secret';
const url = 'https://orb.example.com/hooks/0123456789abcdef?key=abc';
const scheme = { scheme: 'signature' } as const;
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const settings = 'x-twilio-webhooks-signature-settings';

const proven = (name: 'twilio' | 'vonage' | 'resend', arrival: Omit<Arrival, 'method' | 'query'>, key = secret) =>
  authenticate(
    vendors[name],
    { method: 'POST', query: {}, ...arrival },
    [{ version: 1, text: key }],
    scheme,
    Date.now(),
  );

const word = fc.string({ unit: 'binary', maxLength: 12 });
const fields = fc.uniqueArray(fc.tuple(word, word), { selector: ([name]) => name, maxLength: 8 });

describe('the libraries of the vendors', () => {
  it('sign requests of Twilio that pass here, whatever the form holds, and not for another address', () => {
    fc.assert(
      fc.property(fields, fc.boolean(), fc.boolean(), (pairs, hasPort, isShared) => {
        const called = hasPort ? url.replace('.com', '.com:443') : url;
        const algorithm = isShared ? 'HMAC_SHA256' : 'HMAC_SHA1';
        const signature = getExpectedTwilioSignature(secret, called, Object.fromEntries(pairs), algorithm);
        const headers = {
          ...form,
          'x-twilio-signature': signature,
          ...(isShared ? { [settings]: `key=k,algorithm=${algorithm}` } : {}),
        };
        const raw = Buffer.from(new URLSearchParams(pairs).toString());
        expect(proven('twilio', { headers, raw, url })?.strength).to.equal('strong');
        expect(proven('twilio', { headers, raw, url: `${url}x` })).to.equal(undefined);
      }),
    );
  });

  it('of Twilio accepts what is signed here', () => {
    const body = 'MessageSid=SM1&MessageStatus=sent';
    const [signed] = Object.values(authorize(vendors.twilio, Buffer.from(body), secret, scheme, 0) ?? {});
    // The examples of the server are signed without an address.
    const expected = getExpectedTwilioSignature(secret, '', Object.fromEntries(new URLSearchParams(body)));
    expect(signed).to.equal(expected);
    expect(twilioClient.validateRequest(secret, signed ?? '', url, {})).to.equal(false);
  });

  it('of Vonage accepts what is signed here, and a library for JWTs signs what passes here', async () => {
    const raw = Buffer.from('{"status":"delivered"}');
    const [bearer = ''] = Object.values(authorize(vendors.vonage, raw, secret, scheme, Date.now()) ?? {});
    expect(verifySignature(bearer.slice('Bearer '.length), secret)).to.equal(true);
    expect(verifySignature(bearer.slice('Bearer '.length), 'another')).to.equal(false);
    const payload_hash = createHash('sha256').update(raw).digest('hex');
    const token = await new SignJWT({ payload_hash })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .sign(Buffer.from(secret));
    const headers = { authorization: `Bearer ${token}` };
    expect(proven('vonage', { headers, raw })?.strength).to.equal('strong');
    expect(proven('vonage', { headers, raw: Buffer.from('{}') })).to.equal(undefined);
  });

  it('of Standard Webhooks sign what passes as Resend’s', () => {
    const whsec = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const [id, at, body] = ['msg_1', new Date(), '{"type":"email.sent"}'];
    const headers = {
      'svix-id': id,
      'svix-timestamp': String(Math.floor(at.getTime() / 1000)),
      'svix-signature': new Webhook(whsec).sign(id, at, body),
    };
    expect(proven('resend', { headers, raw: Buffer.from(body) }, whsec)?.strength).to.equal('strong');
    expect(proven('resend', { headers, raw: Buffer.from(`${body} `) }, whsec)).to.equal(undefined);
  });
});
