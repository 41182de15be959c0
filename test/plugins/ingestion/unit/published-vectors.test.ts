import { generateKeyPairSync, sign } from 'node:crypto';
import { expect } from 'chai';
import { configuredHmac } from '../../../../plugins/ingestion/sources/auth/configured-hmac.ts';
import { fromBase64, fromHex } from '../../../../plugins/ingestion/sources/auth/hmac.ts';
import { standardSignature } from '../../../../plugins/ingestion/sources/auth/standard.ts';
import { github } from '../../../../plugins/ingestion/sources/vendors/github.ts';

const raw = (text: string) => Buffer.from(text);
const arrival = (headers: Record<string, string>, body: string) =>
  ({ method: 'POST', headers, query: {}, raw: raw(body) }) as const;
const settings = { scheme: 'signature' } as const;

describe('signatures', () => {
  it('fit the example that GitHub publishes', () => {
    const headers = {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    };
    const secrets = [{ version: 1, text: "It's a Secret to Everybody" }];
    const proof = github.signature?.verify(arrival(headers, 'Hello, World!'), secrets, settings, 0);
    expect(proof).to.deep.equal({ strength: 'strong', scheme: 'github.sha256', secret_version: 1 });
  });

  it('fit the example of Standard Webhooks, also under the older names', () => {
    const secrets = [{ version: 1, text: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }];
    const now = 1614265330_000;
    for (const name of ['webhook', 'svix']) {
      const headers = {
        [`${name}-id`]: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        [`${name}-timestamp`]: '1614265330',
        [`${name}-signature`]: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      };
      const proof = standardSignature.verify(arrival(headers, '{"test": 2432232314}'), secrets, settings, now);
      expect(proof).to.include({ scheme: 'standard-webhooks.v1', clock_skew_ms: 0 });
      expect(standardSignature.verify(arrival(headers, '{"test": 2432232315}'), secrets, settings, now)).to.equal(
        undefined,
      );
    }
  });

  it('of v1a are those of an Ed25519 key', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const secrets = [{ version: 3, text: `whpk_${bytes.toString('base64')}` }];
    const signature = sign(null, raw('m.1000.body'), privateKey).toString('base64');
    const headers = { 'webhook-id': 'm', 'webhook-timestamp': '1000', 'webhook-signature': `v1a,${signature}` };
    const verify = (body: string) => standardSignature.verify(arrival(headers, body), secrets, settings, 1_000_000);
    expect(verify('body')).to.include({ scheme: 'standard-webhooks.v1a', secret_version: 3 });
    expect(verify('bodY')).to.equal(undefined);
  });

  it('that are a MAC of a public key, or of no secret at all, prove nothing', () => {
    const form = configuredHmac({ scheme: 'hmac', header: 'x-signature' });
    const made = form.sign(raw('body'), '', settings, 0) ?? {};
    expect(form.verify(arrival(made, 'body'), [], settings, 0)).to.equal(undefined);
  });

  it('are decoded strictly', () => {
    for (const text of ['zz', '0', '', '00 ', '0x00']) expect(fromHex(text), text).to.equal(undefined);
    for (const text of ['a', '', 'ab!=', 'YQ', 'YQ===']) expect(fromBase64(text), text).to.equal(undefined);
    expect(fromHex('00fF')).to.deep.equal(Buffer.from([0, 255]));
    expect(fromBase64('YQ==')).to.deep.equal(Buffer.from('a'));
  });
});
