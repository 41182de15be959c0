import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { envelopeOf, preAuthentication } from '../../../../plugins/receipts/format/dsse.ts';
import { privateKeyOf, signWith } from '../../../../plugins/receipts/format/ed25519.ts';
import { vectors } from '../sample.ts';

const preAuthenticationText = (type: string, body: string) =>
  Buffer.from(preAuthentication(type, Buffer.from(body))).toString();

describe('the DSSE envelope', () => {
  it('signs the pre-authentication encoding of the specification', () => {
    expect(preAuthenticationText('http://example.com/HelloWorld', 'hello world')).to.equal(
      'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
    );
  });

  it('counts bytes, not characters', () => {
    const encoded = preAuthenticationText('application/vnd.in-toto+json', '{"hello":"wörld"}');
    expect(encoded).to.equal('DSSEv1 28 application/vnd.in-toto+json 18 {"hello":"wörld"}');
    const key = privateKeyOf(Buffer.from(vectors.keys.log_seed_hex, 'hex'));
    expect(Buffer.from(signWith(key, Buffer.from(encoded))).toString('base64')).to.equal(
      'UEEAKjIcsqTog38DrjWYc0Ar8+dr3noK5f+ZogPc8S0XGTHWPXIEFTxZOdjM+1qWF1neQKEw9MYG/hi4ypVIBg==',
    );
  });

  it('is the vector run’s envelope, byte for byte', () => {
    const { envelope, pae_head, pae_sha256_hex, payload } = vectors.run_receipt;
    const encoded = preAuthentication('application/vnd.in-toto+json', Buffer.from(payload));
    expect(Buffer.from(encoded.subarray(0, pae_head.length)).toString()).to.equal(pae_head);
    expect(createHash('sha256').update(encoded).digest('hex')).to.equal(pae_sha256_hex);
    const signature = signWith(privateKeyOf(Buffer.from(vectors.keys.receipt_seed_hex, 'hex')), encoded);
    expect(envelopeOf(Buffer.from(payload), signature, vectors.keys.receipt_kid_rfc7638)).to.deep.equal(envelope);
  });
});
