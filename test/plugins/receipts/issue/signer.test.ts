import crypto, { type KeyObject } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { expect } from 'chai';
import type { Sealer } from '../../../../kernel/index.ts';
import { verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import { createKey, openSigner } from '../../../../plugins/receipts/issue/signer.ts';

// Seals nothing: what is asked for is how often, and what for.
const opened: string[] = [];
const sealer: Sealer = {
  seal: (_, plain) => Uint8Array.from(plain),
  mac: (_, text) => text,
  open: (purpose, blob) => (opened.push(purpose), Uint8Array.from(blob)),
};
const message = Buffer.from('a checkpoint');

/** Damages every signature that `which` names, counted from 1, while `work` runs. */
function damaging(which: (number: number) => boolean, work: () => void): void {
  const { sign } = crypto;
  let made = 0;
  mock.method(crypto, 'sign', (_: null, text: Uint8Array, key: KeyObject) => {
    const signature = sign(null, text, key);
    if (which(++made)) signature[5] = (signature[5] ?? 0) ^ 1;
    return signature;
  });
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    mock.reset();
    syncBuiltinESMExports();
  }
}

describe('a signing key', () => {
  const key = createKey('log', sealer, 0, 'x/0');

  it('signs as RFC 8032 does, whether the signature is verified, made twice, or neither', () => {
    const signer = openSigner(key, sealer);
    const all = [signer.sign(message), signer.signVerified(message), signer.signTwice(message)];
    for (const signature of all) expect(verifySignature(key.public_key, message, signature)).to.equal(true);
    expect(new Set(all.map((signature) => Buffer.from(signature).toString('hex'))).size).to.equal(1);
  });

  it('makes its second key of the seed again: the two share nothing', () => {
    opened.length = 0;
    openSigner(key, sealer);
    expect(opened).to.deep.equal(['signing', 'signing']);
  });

  it('answers no signature that was made wrong, the first or the second', () => {
    const signer = openSigner(key, sealer);
    for (const wrong of [1, 2])
      damaging(
        (number) => number === wrong,
        () => expect(() => signer.signTwice(message)).to.throw('differ'),
      );
    damaging(
      (number) => number === 1,
      () => expect(() => signer.signVerified(message)).to.throw('failed verification'),
    );
    damaging(
      () => false,
      () => expect(() => signer.signTwice(message)).not.to.throw(),
    );
  });

  it('is not opened unless the pair is proven: both keys sign what the published key verifies', () => {
    for (const wrong of [1, 2])
      damaging(
        (number) => number === wrong,
        () => expect(() => openSigner(key, sealer)).to.throw('does not match'),
      );
    // Wrong alike: two equal signatures prove nothing of the published key.
    damaging(
      () => true,
      () => expect(() => openSigner(key, sealer)).to.throw('does not match'),
    );
    const other = createKey('log', sealer, 0, 'x/0');
    expect(() => openSigner({ ...key, sealed: other.sealed }, sealer)).to.throw('does not match');
    expect(() => openSigner({ ...key, kid: other.kid }, sealer)).to.throw('does not match');
    expect(() => openSigner({ ...key, kid: other.kid, public_key: other.public_key }, sealer)).to.throw(
      'does not match',
    );
  });
});
