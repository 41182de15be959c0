import { expect } from 'chai';
import { createECDH } from 'node:crypto';
import { encrypted, newRandomness, sealed } from '../../../../providers/push/webpush/encryption.ts';
import { decrypt } from '../vendors/service.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
const version = 'aes128gcm';

// RFC 8291 §5 and Appendix A.
const example = {
  plain: 'When I grow up, I want to be a watermelon',
  sender: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  receiver: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_' +
    'yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

// RFC 8188 §3.1.
const walrus = {
  plain: 'I am the walrus',
  key: 'yqdlZ-tYemfogSmv7Ws5PQ',
  salt: 'I1BsxtFttlv3u_Oo94xnmw',
  body: 'I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg',
};

describe('the encryption of Web Push', () => {
  const receiver = createECDH('prime256v1');
  receiver.setPrivateKey(bytes(example.receiver));
  const subscription = { p256dh: bytes(example.p256dh), auth: bytes(example.auth) };

  it('makes the bytes of the example of RFC 8291, which open again', () => {
    expect(receiver.getPublicKey('base64url')).to.equal(example.p256dh);
    const randomness = { salt: bytes(example.salt), privateKey: bytes(example.sender) };
    const body = encrypted(Buffer.from(example.plain), subscription, randomness);
    expect(body.toString('base64url')).to.equal(example.body);
    expect(decrypt(body, { version, privateKey: receiver, authSecret: example.auth }).toString()).to.equal(
      example.plain,
    );
  });

  it('makes the bytes of the example of RFC 8188 with one record, which open again', () => {
    const body = sealed(Buffer.from(walrus.plain), {
      key: bytes(walrus.key),
      salt: bytes(walrus.salt),
      keyId: bytes(''),
    });
    expect(body.toString('base64url')).to.equal(walrus.body);
    expect(decrypt(body, { version, key: walrus.key }).toString()).to.equal(walrus.plain);
  });

  it('opens for its receiver at any length, and fills a body of 4,096 bytes with 3,993', () => {
    for (const length of [1, 2, 100, 3992, 3993]) {
      const plain = Buffer.alloc(length, 'ü');
      const body = encrypted(plain, subscription);
      expect(body).to.have.length(length + 103);
      expect(decrypt(body, { version, privateKey: receiver, authSecret: example.auth })).to.deep.equal(plain);
    }
  });

  it('never uses a salt or a key twice', () => {
    const made = Array.from({ length: 50 }, newRandomness);
    expect(new Set(made.map(({ salt }) => salt.toString('hex')))).to.have.property('size', 50);
    expect(new Set(made.map(({ privateKey }) => privateKey.toString('hex')))).to.have.property('size', 50);
  });

  it('refuses a public key that is no point of the curve', () => {
    const p256dh = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]);
    expect(() => encrypted(Buffer.from('x'), { ...subscription, p256dh })).to.throw();
  });
});
