import { expect } from 'chai';
import { privateKeyOf, rawPublicKey, signWith, verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import { verifyPortable } from '../../../../plugins/receipts/format/portable-ed25519.ts';
import { mixedOrder, smallOrder, withMoreS, type EdgeVector } from './edge-vectors.ts';

// The families of C2SP/CCTV's ed25519vectors, computed: components of small order in key and commitment, encodings
// that are not canonical, S + n·L.
const verdicts = ({ message, publicKey, signature }: Pick<EdgeVector, 'message' | 'publicKey' | 'signature'>) => [
  verifySignature(publicKey, message, signature),
  verifyPortable(publicKey, message, signature),
];

describe('both implementations of Ed25519', () => {
  it('say the same of keys and commitments with components of small order: what the equation says', () => {
    let valid = 0;
    for (const vector of mixedOrder(4)) {
      expect(verdicts(vector), vector.name).to.deep.equal([vector.valid, vector.valid]);
      if (vector.valid === true) valid++;
    }
    // Both verdicts occur.
    expect(valid).to.be.greaterThan(0);
  }).timeout(60_000);

  it('refuse every key of small order, in every spelling, whatever it signs', () => {
    for (const vector of mixedOrder(4, 0n)) expect(verdicts(vector), vector.name).to.deep.equal([false, false]);
    for (const vector of smallOrder(2)) expect(verdicts(vector), vector.name).to.deep.equal([false, false]);
  }).timeout(120_000);

  it('refuse S + n·L for every n that fits', () => {
    const privateKey = privateKeyOf(Buffer.alloc(32, 3));
    const publicKey = rawPublicKey(privateKey);
    for (let at = 0; at < 20; at++) {
      const message = Buffer.from(`message ${at}`);
      const signature = signWith(privateKey, message);
      expect(verdicts({ message, publicKey, signature })).to.deep.equal([true, true]);
      const more = [...withMoreS(signature)];
      expect(more.length).to.be.at.least(14);
      for (const other of more)
        expect(verdicts({ message, publicKey, signature: other })).to.deep.equal([false, false]);
    }
  }).timeout(60_000);
});
