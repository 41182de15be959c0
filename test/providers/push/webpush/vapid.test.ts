import { expect } from 'chai';
import { importJWK, jwtVerify } from 'jose';
import { authorizer, isPair } from '../../../../providers/push/webpush/vapid.ts';
import { newKeys } from '../vendors/service.ts';

describe('the signature of Web Push', () => {
  const keys = newKeys();
  const subject = 'mailto:push@example.com';

  it('has the form of RFC 8292: token and key, for one origin and at most a day', async () => {
    const now = Date.now();
    const header = authorizer(keys, subject)('https://push.example.net', now);
    const [, token = '', k] = /^vapid t=([\w-]+\.[\w-]+\.[\w-]+), k=([\w-]{87})$/.exec(header) ?? [];
    expect(k).to.equal(keys.public_key);
    const point = Buffer.from(keys.public_key, 'base64url');
    const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
    const key = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256');
    const { payload, protectedHeader } = await jwtVerify(token, key);
    expect(protectedHeader).to.deep.equal({ typ: 'JWT', alg: 'ES256' });
    expect(payload).to.deep.equal({
      aud: 'https://push.example.net',
      exp: Math.floor(now / 1000) + 43_200,
      sub: subject,
    });
  });

  it('knows which keys are a pair', () => {
    expect(isPair(keys)).to.equal(true);
    expect(isPair({ ...keys, private_key: newKeys().private_key })).to.equal(false);
    for (const private_key of [Buffer.alloc(32), Buffer.alloc(32, 255)])
      expect(isPair({ ...keys, private_key: private_key.toString('base64url') })).to.equal(false);
  });
});
