import { expect } from 'chai';
import { encodeBase64, encodeBase64Url } from '../../../../plugins/receipts/format/base64.ts';
import { verifySignature } from '../../../../plugins/receipts/format/ed25519.ts';
import { verifyPortable } from '../../../../plugins/receipts/format/portable-ed25519.ts';
import { readTrust, trustOf } from '../../../../plugins/receipts/verifier/trust.ts';
import { verify } from '../../../../plugins/receipts/verifier/verify.ts';
import { vectorKeys, vectors, vectorStatement, vectorTrust } from '../sample.ts';

const { envelope } = vectors.run_receipt;
const [{ keyid, sig }] = envelope.signatures as [{ keyid: string; sig: string }];
const fast = { verifySignature };
// Every place in the soak; one of the five letters of `keyid` is always among the others.
const step = process.env['RECEIPTS_SOAK'] === undefined ? 5 : 1;
const statement = vectorStatement();
const native = JSON.stringify({
  receipt_id: statement.predicate.receipt_id,
  trust_score: 80,
  risk_level: 'medium',
  timestamp: statement.predicate.finished_at,
  statement,
  envelope,
  proof: {
    ...vectors.run_receipt.position,
    ...{ tree_size: 1, hashes: [], checkpoint: vectors.run_receipt.checkpoint },
    leaf: Buffer.from(vectors.run_receipt.leaf).toString('base64'),
  },
});

/** Lists every way to flip one bit of one byte, the bit chosen by the position. */
function flips(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte, at) => Uint8Array.from(bytes).fill(byte ^ (1 << (at % 8)), at, at + 1));
}

describe('the Ed25519 of the verifier', () => {
  const { malleability } = vectors;
  const [publicKey, message] = [Buffer.from(malleability.pub_b64, 'base64'), Buffer.from(malleability.message_utf8)];

  for (const [name, check] of [
    ['portable', verifyPortable],
    ['runtime', verifySignature],
  ] as const)
    it(`refuses S + L, which is a second signature of the same message (${name})`, () => {
      expect(check(publicKey, message, Buffer.from(malleability.sig_b64, 'base64'))).to.equal(true);
      expect(check(publicKey, message, Buffer.from(malleability.sig_S_plus_L_b64, 'base64'))).to.equal(false);
    });

  it('refuses a signature or a key of another length', () => {
    const signature = Buffer.from(malleability.sig_b64, 'base64');
    expect(verifyPortable(publicKey, message, signature.subarray(1))).to.equal(false);
    expect(verifyPortable(publicKey.subarray(1), message, signature)).to.equal(false);
    expect(verifySignature(publicKey, message, signature.subarray(1))).to.equal(false);
  });
});

describe('one changed byte', () => {
  it('of the signature fails the signature: exit 1, at every place, with either crypto', () => {
    for (const [at, changed] of flips(Buffer.from(sig, 'base64')).entries()) {
      const text = JSON.stringify({ ...envelope, signatures: [{ keyid, sig: encodeBase64(changed) }] });
      expect(verify(text, vectorTrust).exit, `portable, byte ${at}`).to.equal(1);
      expect(verify(text, vectorTrust, fast).exit, `runtime, byte ${at}`).to.equal(1);
    }
  });

  it('of the payload fails the signature: exit 1, at every place', () => {
    for (const [at, changed] of flips(Buffer.from(envelope.payload, 'base64')).entries()) {
      const report = verify(JSON.stringify({ ...envelope, payload: encodeBase64(changed) }), vectorTrust, fast);
      expect([report.exit, report.values], `byte ${at}`).to.deep.equal([1, undefined]);
    }
  });

  it('of the pinned key makes it untrusted: exit 4, at every place', () => {
    const [key] = vectorKeys.keys;
    for (const [at, changed] of flips(Buffer.from(key?.x ?? '', 'base64url')).entries()) {
      const trust = trustOf([{ ...key, x: encodeBase64Url(changed) }]);
      expect(verify(JSON.stringify(envelope), trust).exit, `byte ${at}`).to.equal(4);
    }
  });

  it('of the keys file’s key id, value or role makes the key untrusted: exit 4', () => {
    const text = JSON.stringify(vectorKeys);
    const [key] = vectorKeys.keys;
    for (const value of [key?.kid ?? '', key?.x ?? '', key?.role ?? ''])
      for (let at = text.indexOf(`"${value}"`) + 1, left = value.length; left > 0; at++, left--) {
        const trust = readTrust(replaceAt(text, at)) ?? { keys: [] };
        expect(verify(native, trust, fast).exit, text.slice(at, at + 8)).to.equal(4);
      }
  });

  it('of the text of the envelope or the readable copy is never verified, but for a key id that is not there', () => {
    const allowed = new Map<number, number>();
    for (let at = 0; at < native.length; at += step) {
      const report = verify(replaceAt(native, at), vectorTrust, fast);
      if (report.exit === 0) allowed.set(at, report.exit);
      else expect([1, 2, 3, 4], `at ${at}`).to.include(report.exit);
    }
    // A key id only narrows which key to try: under another name the member is ignored (DSSE).
    const start = native.indexOf('"keyid"') + 1;
    const places = Array.from('keyid', (_, index) => start + index);
    expect([...allowed.keys()]).to.deep.equal(places.filter((at) => at % step === 0));
  }).timeout(120_000);
});

// Another letter for a letter, so that most changes stay JSON; white space is no change worth the name.
function replaceAt(text: string, at: number): string {
  const letter = text.charAt(at);
  const other = letter === 'x' ? 'y' : 'x';
  const replaced = /\d/.test(letter) ? String((Number(letter) + 1) % 10) : other;
  return text.slice(0, at) + replaced + text.slice(at + 1);
}
