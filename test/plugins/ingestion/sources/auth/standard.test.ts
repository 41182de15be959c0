import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { expect } from 'chai';
import { publicKey, standardSignature, symmetricKey } from '../../../../../plugins/ingestion/sources/auth/standard.ts';

const now = 1_800_000_000_000;
const settings = { scheme: 'signature' } as const;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const seconds = String(now / 1000);

function mac(key: Uint8Array, body = 'body'): string {
  return `v1,${createHmac('sha256', key).update(`m.${seconds}.${body}`).digest('base64')}`;
}

function verify(headers: Record<string, string>, texts: readonly string[] = [secret], at = now) {
  const all = { 'webhook-id': 'm', 'webhook-timestamp': seconds, ...headers };
  const secrets = texts.map((text, index) => ({ version: index + 1, text }));
  return standardSignature.verify(
    { method: 'POST', headers: all, query: {}, raw: Buffer.from('body') },
    secrets,
    settings,
    at,
  );
}

describe('a Standard Webhooks signature', () => {
  const good = mac(Buffer.alloc(32, 7));

  it('is made with a secret, and cannot be made with what only verifies', () => {
    const made = standardSignature.sign(Buffer.from('body'), secret, settings, now);
    expect(verify(made ?? {})).to.include({ strength: 'strong', secret_version: 1, clock_skew_ms: 0 });
    const verifying = `whpk_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(standardSignature.sign(Buffer.from('body'), verifying, settings, now)).to.equal(undefined);
  });

  it('holds for five minutes, and for one to come', () => {
    const headers = { 'webhook-signature': good };
    for (const [at, holds] of [
      [now + 300_000, true],
      [now + 300_001, false],
      [now - 60_000, true],
      [now - 60_001, false],
    ] as const)
      expect(verify(headers, [secret], at) !== undefined, String(at - now)).to.equal(holds);
  });

  it('is found among several; ten of them are checked', () => {
    const wrong = mac(Buffer.alloc(32, 8));
    const among = (before: number) => ({ 'webhook-signature': [...Array<string>(before).fill(wrong), good].join(' ') });
    expect(verify(among(9))).to.include({ secret_version: 1 });
    expect(verify(among(10))).to.equal(undefined);
  });

  it('of a public key is found among ten likewise', () => {
    const { publicKey: key, privateKey } = generateKeyPairSync('ed25519');
    const text = `whpk_${key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`;
    const entry = `v1a,${sign(null, Buffer.from(`m.${seconds}.body`), privateKey).toString('base64')}`;
    const wrong = `v1a,${Buffer.alloc(64).toString('base64')}`;
    const among = (before: number) => ({
      'webhook-signature': [...Array<string>(before).fill(wrong), entry].join(' '),
    });
    expect(verify(among(9), [text])).to.include({ scheme: 'standard-webhooks.v1a' });
    expect(verify(among(10), [text])).to.equal(undefined);
  });

  it('by any of three secrets tells which, and by a fourth proves nothing', () => {
    const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    const headers = { 'webhook-signature': good };
    expect(verify(headers, [other, other, secret])).to.include({ secret_version: 3 });
    expect(verify(headers, [other, other, other, secret])).to.equal(undefined);
  });

  it('is not one of another version, nor of the text of a secret that is no key', () => {
    expect(verify({ 'webhook-signature': good.replace('v1,', 'v2,') })).to.equal(undefined);
    expect(verify({ 'webhook-signature': mac(Buffer.from('plain')) }, ['plain'])).to.equal(undefined);
  });

  it('has keys of 24 to 64 bytes, and public ones of 32', () => {
    const of = (length: number) => Buffer.alloc(length).toString('base64');
    const lengths = [23, 24, 64, 65].map((length) => symmetricKey(`whsec_${of(length)}`)?.length);
    expect(lengths).to.deep.equal([undefined, 24, 64, undefined]);
    expect([31, 32, 33].map((length) => publicKey(`whpk_${of(length)}`)?.length)).to.deep.equal([
      undefined,
      32,
      undefined,
    ]);
    expect([symmetricKey(`whpk_${of(32)}`), publicKey(`whsec_${of(32)}`)]).to.deep.equal([undefined, undefined]);
  });
});
