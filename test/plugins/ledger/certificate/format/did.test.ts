import { expect } from 'chai';
import {
  didDocument,
  identityOf,
  keyDid,
  keyOfDid,
  webDidAddress,
  type CertificateKey,
} from '../../../../../plugins/ledger/certificate/format/did.ts';
import { multikeyOf } from '../../../../../plugins/ledger/certificate/format/multibase.ts';

const key = (mark: number, more: Partial<CertificateKey> = {}): CertificateKey => ({
  ...{ kid: `k${mark}`, public_key: new Uint8Array(32).fill(mark), status: 'active' },
  since: { origin: 'log/0', index: mark },
  ...more,
});

describe('the issuer of certificates', () => {
  for (const [address, did] of [
    ['https://orb.example', 'did:web:orb.example'],
    ['https://orb.example/', 'did:web:orb.example'],
    ['https://orb.example:8443', 'did:web:orb.example%3A8443'],
    ['https://orb.example:443', 'did:web:orb.example'],
    ['http://orb.example', undefined],
    ['https://orb.example/base', undefined],
    ['https://orb.example/?a', undefined],
    ['https://orb.example/#a', undefined],
    ['https://me@orb.example', undefined],
    ['https://:x@orb.example', undefined],
    ['https://127.0.0.1', undefined],
    ['https://[::1]', undefined],
    ['orb.example', undefined],
  ] as const)
    it(`at ${address} is ${did ?? 'its key'}`, () => {
      const own = key(1);
      const name = did ?? keyDid(own.public_key);
      expect(identityOf(address, own)).to.deep.equal({
        ...{ did: name, bound_to_host: did !== undefined, kid: 'k1', public_key: own.public_key },
        method: `${name}#${multikeyOf(own.public_key)}`,
      });
    });

  it('has its document at its host', () => {
    expect(webDidAddress('did:web:orb.example')).to.equal('https://orb.example/.well-known/did.json');
    expect(webDidAddress('did:web:orb.example%3A8443')).to.equal('https://orb.example:8443/.well-known/did.json');
    for (const did of ['did:key:z6Mk', 'did:web:', 'did:web:a:b', 'did:web:a/b', 'did:web:a%3A', 'xdid:web:a'])
      expect(webDidAddress(did), did).to.equal(undefined);
  });

  it('has its key in its name when that is a did:key', () => {
    expect(keyOfDid(keyDid(key(7).public_key))).to.deep.equal(key(7).public_key);
    expect(keyOfDid('did:web:orb.example')).to.equal(undefined);
    expect(keyOfDid('did:key:z1')).to.equal(undefined);
  });
});

describe('the document of the issuer', () => {
  interface Document {
    readonly verificationMethod: readonly { readonly id: string; readonly revokedAt?: object }[];
    readonly assertionMethod: readonly string[];
  }
  const revoked_at = { origin: 'log/1', index: 9 };
  const keys = [key(1, { status: 'revoked', revoked_at }), key(2, { status: 'retired' }), key(3)];
  const documentAt = (address: string): Document =>
    didDocument(address, identityOf(address, key(3)), keys) as unknown as Document;
  const idOf = (did: string, mark: number): string => `${did}#${multikeyOf(key(mark).public_key)}`;

  it('lists for a host every key there was; a revoked one may not sign', () => {
    const { verificationMethod, assertionMethod } = documentAt('https://orb.example');
    const did = 'did:web:orb.example';
    expect(verificationMethod.map(({ id }) => id)).to.deep.equal([1, 2, 3].map((mark) => idOf(did, mark)));
    expect(assertionMethod).to.deep.equal([2, 3].map((mark) => idOf(did, mark)));
    expect(verificationMethod[0]).to.deep.include({
      revokedAt: revoked_at,
      activeSince: { origin: 'log/0', index: 1 },
    });
    expect(verificationMethod[2]).to.not.have.property('revokedAt');
  });

  it('lists for a key that key alone', () => {
    const { verificationMethod, assertionMethod } = documentAt('http://127.0.0.1');
    const own = idOf(keyDid(key(3).public_key), 3);
    expect([verificationMethod.map(({ id }) => id), assertionMethod]).to.deep.equal([[own], [own]]);
  });
});
