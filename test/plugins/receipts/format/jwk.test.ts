import { expect } from 'chai';
import { keySet, thumbprint } from '../../../../plugins/receipts/format/jwk.ts';
import { vectorKeys, vectors } from '../sample.ts';

describe('a key id', () => {
  it('is the RFC 7638 thumbprint of RFC 8037’s example', () => {
    const publicKey = Buffer.from('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', 'base64url');
    expect(thumbprint(publicKey)).to.equal('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });

  it('is that of the vectors’ receipt key', () => {
    const publicKey = Buffer.from(vectorKeys.keys[0]?.x ?? '', 'base64url');
    expect(thumbprint(publicKey)).to.equal(vectors.keys.receipt_kid_rfc7638);
  });
});

describe('the key set', () => {
  it('publishes what a JOSE library needs, our own members, and the time in seconds', () => {
    const publicKey = Buffer.from('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', 'base64url');
    const kid = thumbprint(publicKey);
    const key = {
      kid,
      role: 'receipt',
      status: 'retired',
      public_key: publicKey,
      created_at: 1_763_670_000_999,
    } as const;
    expect(keySet([key])).to.deep.equal({
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          kid,
          alg: 'EdDSA',
          use: 'sig',
          role: 'receipt',
          status: 'retired',
          nbf: 1_763_670_000,
        },
      ],
    });
  });
});
