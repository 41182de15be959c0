import { expect } from 'chai';
import type { CertificateSigner } from '../../../../../plugins/receipts/contract.ts';
import { multikeyOf } from '../../../../../plugins/ledger/certificate/format/multibase.ts';
import {
  findKey,
  pinDidDocument,
  pinKeySet,
  pinSigner,
  type Pin,
} from '../../../../../plugins/ledger/certificate/verifier/pin.ts';

const bytes = (mark: number): Uint8Array => new Uint8Array(32).fill(mark);
const at = (shard: number, index: number) => ({ origin: `log/${shard}`, index });
const shown = (pin: Pin | undefined) =>
  pin?.keys.map(({ public_key: [mark], revoked, revoked_at, since, until }) => ({
    ...{ mark, revoked },
    ...(revoked_at === undefined ? {} : { revoked_at }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  }));

describe('the keys of a JWK Set that are trusted', () => {
  const jwk = (mark: number, more: object = {}) => ({
    ...{ role: 'certificate', kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes(mark)).toString('base64url') },
    ...more,
  });

  it('are those of certificates, each until the next one begins in its shard', () => {
    const pin = pinKeySet({
      keys: [jwk(2, { since: at(1, 0) }), jwk(1, { since: at(0, 5) }), jwk(3, { since: at(1, 9), status: 'active' })],
    });
    expect(shown(pin)).to.deep.equal([
      { mark: 2, revoked: false, since: at(1, 0), until: at(1, 9) },
      { mark: 1, revoked: false, since: at(0, 5) },
      { mark: 3, revoked: false, since: at(1, 9) },
    ]);
    expect(pin).to.not.have.property('dids');
  });

  it('are revoked by their status, or by a place', () => {
    const revoked_at = at(0, 7);
    expect(shown(pinKeySet({ keys: [jwk(1, { status: 'revoked' }), jwk(2, { revoked_at })] }))).to.deep.equal([
      { mark: 1, revoked: true },
      { mark: 2, revoked: true, revoked_at },
    ]);
    const odd = [
      { origin: 'log/0' },
      { index: 1 },
      { origin: 5, index: 1 },
      { origin: 'log/0', index: 0.5 },
      'log/0',
      null,
    ];
    for (const place of odd)
      expect(shown(pinKeySet({ keys: [jwk(2, { revoked_at: place })] }))).to.deep.equal([{ mark: 2, revoked: true }]);
  });

  it('are no others', () => {
    const others = [
      ...[jwk(1, { role: 'receipt' }), jwk(1, { kty: 'EC' }), jwk(1, { crv: 'X25519' }), jwk(1, { x: 'AAAA' })],
      ...[jwk(1, { x: undefined }), null, 'key'],
    ];
    expect(pinKeySet({ keys: others })).to.equal(undefined);
    expect(shown(pinKeySet({ keys: [...others, jwk(2)] }))).to.deep.equal([{ mark: 2, revoked: false }]);
    for (const value of [undefined, null, [], {}, { keys: {} }, { keys: [] }])
      expect(pinKeySet(value)).to.equal(undefined);
  });
});

describe('the keys of a DID document that are trusted', () => {
  const did = 'did:web:orb.example';
  const method = (mark: number, more: object = {}) => ({
    ...{ id: `${did}#${mark}`, type: 'Multikey', controller: did, publicKeyMultibase: multikeyOf(bytes(mark)) },
    ...more,
  });
  const document = (methods: readonly object[], asserting: unknown = [`${did}#1`, `${did}#2`]) => ({
    ...{ id: did, verificationMethod: methods, assertionMethod: asserting },
  });

  it('are those that it controls, for the DID alone', () => {
    const pin = pinDidDocument(
      document([method(1, { activeSince: at(0, 1) }), method(2, { activeSince: at(0, 4) })]),
      did,
    );
    expect(pin?.dids).to.deep.equal([did]);
    expect(shown(pin)).to.deep.equal([
      { mark: 1, revoked: false, since: at(0, 1), until: at(0, 4) },
      { mark: 2, revoked: false, since: at(0, 4) },
    ]);
  });

  it('are revoked when they have a place of that, or may not assert', () => {
    const revoked = document([method(1, { revokedAt: at(0, 9) }), method(2), method(3)]);
    expect(shown(pinDidDocument(revoked, did))).to.deep.equal([
      { mark: 1, revoked: true, revoked_at: at(0, 9) },
      { mark: 2, revoked: false },
      { mark: 3, revoked: true },
    ]);
    expect(shown(pinDidDocument(document([method(1)], null), did))).to.deep.equal([{ mark: 1, revoked: true }]);
  });

  it('are none of another document, another kind or another controller', () => {
    const wrong = [
      ...[method(1, { type: 'JsonWebKey' }), method(1, { controller: 'did:web:other' })],
      ...[method(1, { publicKeyMultibase: 'zz' }), method(1, { publicKeyMultibase: undefined })],
    ];
    expect(pinDidDocument(document(wrong), did)).to.equal(undefined);
    expect(pinDidDocument(document([method(1)]), 'did:web:other')).to.equal(undefined);
    expect(pinDidDocument({ ...document([method(1)]), id: 'did:web:other' }, did)).to.equal(undefined);
    expect(pinDidDocument({ id: did }, did)).to.equal(undefined);
    expect(pinDidDocument(null, did)).to.equal(undefined);
  });
});

describe('the keys of the signer', () => {
  const key = (mark: number, status: string, more: object = {}) => ({
    public_key: bytes(mark),
    since: at(0, mark),
    status,
    ...more,
  });
  const keys = [key(1, 'revoked', { revoked_at: at(0, 9) }), key(2, 'retired'), key(3, 'active')];
  const pin = pinSigner(keys as unknown as ReturnType<CertificateSigner['keys']>, ['did:web:a']);

  it('are all there were, in their order', () => {
    expect(pin.dids).to.deep.equal(['did:web:a']);
    expect(shown(pin)).to.deep.equal([
      { mark: 1, revoked: true, revoked_at: at(0, 9), since: at(0, 1), until: at(0, 2) },
      { mark: 2, revoked: false, since: at(0, 2), until: at(0, 3) },
      { mark: 3, revoked: false, since: at(0, 3) },
    ]);
  });

  it('are found by their Multikey', () => {
    expect(findKey(pin, multikeyOf(bytes(2)))?.public_key).to.deep.equal(bytes(2));
    expect(findKey(pin, multikeyOf(bytes(4)))).to.equal(undefined);
  });
});
