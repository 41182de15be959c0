import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { expect } from 'chai';
import { canonical } from '../../../../../kernel/index.ts';
import {
  decodeBase58,
  digestMultibase,
  encodeBase58,
  multikeyOf,
  publicKeyOf,
} from '../../../../../plugins/ledger/certificate/format/multibase.ts';
import { bytesToSign, verifyProof, withProof } from '../../../../../plugins/ledger/certificate/format/proof.ts';

// W3C, Data Integrity EdDSA Cryptosuites v1.0, appendix B.2: the test vector of eddsa-jcs-2022.
const multikey = 'z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2';
const secretMultikey = 'z3u2en7t5LR2WtQH5PfFqMqwVHBeXouLzo6haApm8XHqvjxq';
const context = ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/examples/v2'];
const unsecured = {
  '@context': context,
  id: 'urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33',
  type: ['VerifiableCredential', 'AlumniCredential'],
  name: 'Alumni Credential',
  description: 'A minimum viable example of an Alumni Credential.',
  issuer: 'https://vc.example/issuers/5678',
  validFrom: '2023-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:abcdefgh', alumniOf: 'The School of Examples' },
};
const options = {
  type: 'DataIntegrityProof',
  cryptosuite: 'eddsa-jcs-2022',
  created: '2023-02-24T23:36:38Z',
  verificationMethod: `did:key:${multikey}#${multikey}`,
  proofPurpose: 'assertionMethod',
  '@context': context,
} as const;
const documentHash = '59b7cb6251b8991add1ce0bc83107e3db9dbbab5bd2c28f687db1a03abc92f19';
const optionsHash = '66ab154f5c2890a140cb8388a22a160454f80575f6eae09e5a097cabe539a1db';
const proofValue = 'z2HnFSSPPBzR36zdDgK8PbEHeXbR56YF24jwMpt3R1eHXQzJDMWS93FCzpvJpwTWd3GAVFuUfjoJdcnTMuVor51aX';

const publicKey = publicKeyOf(multikey) ?? new Uint8Array();
const hash = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');

describe('a proof of eddsa-jcs-2022', () => {
  it('signs the bytes of the published vector', () => {
    expect(hash(unsecured)).to.equal(documentHash);
    expect(hash(options)).to.equal(optionsHash);
    expect(Buffer.from(bytesToSign(unsecured, options)).toString('hex')).to.equal(optionsHash + documentHash);
  });

  it('has the value of the published vector, made with its secret key', () => {
    const seed = (decodeBase58(secretMultikey) ?? new Uint8Array()).slice(2);
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const secret = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    const secured = withProof(unsecured, options, sign(null, bytesToSign(unsecured, options), secret));
    expect(secured.proof.proofValue).to.equal(proofValue);
    expect(verifyProof(secured, publicKey)).to.equal(true);
  });

  const secured = { ...unsecured, proof: { ...options, proofValue } };
  const wrong: readonly (readonly [string, object])[] = [
    ['a changed member', { ...secured, name: 'Alumni credential' }],
    ['a member more', { ...secured, more: 1 }],
    ['another option', { ...secured, proof: { ...secured.proof, created: '2023-02-24T23:36:39Z' } }],
    ['another suite', { ...secured, proof: { ...secured.proof, cryptosuite: 'eddsa-rdfc-2022' } }],
    ['another purpose', { ...secured, proof: { ...secured.proof, proofPurpose: 'authentication' } }],
    ['another type', { ...secured, proof: { ...secured.proof, type: 'Ed25519Signature2020' } }],
    ['a context that the proof does not name', { ...secured, '@context': [...context, 'https://example.com/more'] }],
    ['two proofs', { ...secured, proof: [secured.proof, secured.proof] }],
    ['no proof', unsecured],
    ['a value that is no base58', { ...secured, proof: { ...secured.proof, proofValue: `${proofValue}0` } }],
    ['a shorter value', { ...secured, proof: { ...secured.proof, proofValue: proofValue.slice(0, -1) } }],
    ['a longer value', { ...secured, proof: { ...secured.proof, proofValue: `z${'2'.repeat(100)}` } }],
  ];
  for (const [name, document] of wrong)
    it(`does not verify with ${name}`, () => expect(verifyProof({ ...document }, publicKey)).to.equal(false));

  const own = generateKeyPairSync('ed25519');
  const ownKey = new Uint8Array(own.publicKey.export({ format: 'der', type: 'spki' }).subarray(12));
  const signedSo = (changed: object) => {
    const so = { ...options, ...changed };
    return {
      ...unsecured,
      proof: { ...so, proofValue: encodeBase58(sign(null, bytesToSign(unsecured, so), own.privateKey)) },
    };
  };
  for (const changed of [
    { cryptosuite: 'eddsa-rdfc-2022' },
    { type: 'Ed25519Signature2020' },
    { proofPurpose: 'authentication' },
    { '@context': context.slice(0, 1) },
    { '@context': undefined },
  ])
    it(`does not verify when it was signed as ${JSON.stringify(changed)}`, () => {
      expect(verifyProof(signedSo({}), ownKey)).to.equal(true);
      expect(verifyProof(signedSo(changed), ownKey)).to.equal(false);
    });

  it('does not verify with another key', () => {
    const other = publicKeyOf('z6MkvH3u39xGT8b1M9aVFeujQmAXHM61chAgrVXQceeF4NF4') ?? new Uint8Array();
    expect(verifyProof(secured, other)).to.equal(false);
  });
});

describe('multibase', () => {
  it('writes base58btc as the draft of its authors shows it, leading zeros included', () => {
    expect(encodeBase58(Buffer.from('Hello World!'))).to.equal('z2NEpo7TZRRrLZSi2U');
    expect(encodeBase58(Buffer.from('0000287fb4cd', 'hex'))).to.equal('z11233QC4');
    expect(encodeBase58(new Uint8Array(2))).to.equal('z11');
    expect(decodeBase58('z11233QC4')).to.deep.equal(new Uint8Array([0, 0, 0x28, 0x7f, 0xb4, 0xcd]));
  });

  it('reads nothing that is not written so', () => {
    for (const text of ['', 'm2NE', 'z0', 'zO', 'z+', `z${'1'.repeat(200)}`])
      expect(decodeBase58(text)).to.equal(undefined);
  });

  it('writes and reads Multikeys of Ed25519 alone', () => {
    expect(multikeyOf(publicKey)).to.equal(multikey);
    // Its two first bytes are the codec, and a key has 32.
    for (const bytes of [
      [0xed, 0x02, ...publicKey],
      [0xec, 0x01, ...publicKey],
      [0xed, 0x01, ...publicKey.subarray(1)],
    ])
      expect(publicKeyOf(encodeBase58(Uint8Array.from(bytes)))).to.equal(undefined);
    expect(publicKeyOf('zDnaepBuvsQ8cpsWrVKw8fbpGpvPeNSjVPTWoq6cRqaYzBKVP')).to.equal(undefined);
  });

  it('writes digests as multihash', () => {
    const empty = createHash('sha256').update('').digest('hex');
    const multihash = Buffer.from(digestMultibase(`sha256:${empty}`).slice(1), 'base64url').toString('hex');
    expect(multihash).to.equal(`1220${empty}`);
  });
});
