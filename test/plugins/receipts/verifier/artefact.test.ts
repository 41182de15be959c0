import { expect } from 'chai';
import { readArtefact } from '../../../../plugins/receipts/verifier/artefact.ts';
import { provedIn, signedEnvelope } from '../sample.ts';

const { entry, envelope } = signedEnvelope('{}');
const proof = provedIn([entry]);
const [signature] = envelope.signatures;
const many = (count: number) => ({ ...envelope, signatures: Array.from({ length: count }, () => signature) });
const copyOf = (value: unknown) => {
  const artefact = readArtefact(value);
  return 'envelope' in artefact ? artefact.copy : undefined;
};
const malformed = (value: unknown) => {
  const artefact = readArtefact(value);
  return 'malformed' in artefact ? artefact.malformed : undefined;
};

describe('the forms of an artefact', () => {
  for (const both of [
    { ...envelope, envelope },
    { ...envelope, dsseEnvelope: envelope },
    { envelope, dsseEnvelope: envelope },
  ])
    it(`are not mixed: ${Object.keys(both).join(', ')}`, () => {
      expect(malformed(both)).to.equal('the artefact contains more than one envelope');
    });

  it('of a bundle has one entry of the log, or it is malformed', () => {
    expect(malformed({ dsseEnvelope: envelope })).to.equal('the bundle contains no inclusion proof');
    expect(malformed({ dsseEnvelope: {} })).to.equal('the envelope is not DSSE with strict base64');
  });

  it('keep what is meant for reading: of a bare envelope our names alone, of a document all', () => {
    expect(copyOf({ ...envelope, receipt_id: 'r', timestamp: 't', other: 1 })).to.deep.equal({
      ...{ receipt_id: 'r', timestamp: 't' },
    });
    expect(copyOf({ envelope, proof, consistency: [], disclosed: {}, receipt_id: 'r', other: 1 })).to.deep.equal({
      ...{ receipt_id: 'r', other: 1 },
    });
  });

  it('of a document holds what was disclosed, its claim and how the log has grown', () => {
    const root = Buffer.alloc(32).toString('base64');
    const found = readArtefact({ envelope, proof, consistency: [{ from: 1, root, hashes: [] }], disclosed: { x: 1 } });
    if (!('envelope' in found)) return expect.fail('not read');
    expect([found.disclosed, found.claim?.index, found.growth?.length]).to.deep.equal([{ x: 1 }, 0n, 1]);
    expect(readArtefact({ envelope })).to.not.have.any.keys('claim', 'growth', 'disclosed');
  });

  it('of a document is malformed with a proof, or a proof of growth, that is', () => {
    expect(malformed({ envelope, proof: {} })).to.equal('the inclusion proof is malformed');
    for (const more of [{ proof }, {}])
      expect(malformed({ envelope, ...more, consistency: {} })).to.match(/^the consistency proof of the log/);
  });
});

describe('a summary', () => {
  const members = { receipt_id: 'r', trust_score: 1, risk_level: 'low', signature_valid: true, timestamp: 't' };
  for (const [what, value] of [
    ['all its members', members],
    ['its id alone', { receipt_id: 'r' }],
    ['it in the answer of execute', { status: 'completed', receipt: members }],
  ] as const)
    it(`is known with ${what}`, () => {
      expect(readArtefact(value)).to.have.property('nothing');
    });

  for (const [what, value] of [
    ['no id', { trust_score: 1 }],
    ['an id that is no text', { receipt_id: 1 }],
    ['any other member', { ...members, proof }],
  ] as const)
    it(`is none with ${what}`, () => {
      expect(malformed(value)).to.equal('the artefact contains no envelope');
    });
});

describe('an envelope', () => {
  it('has up to 16 signatures, each with a key id or without', () => {
    for (const one of [many(1), many(16), { ...envelope, signatures: [{ sig: signature?.sig }] }])
      expect(malformed(one)).to.equal(undefined);
  });

  for (const [what, value] of [
    ['17 signatures', many(17)],
    ['no signature', many(0)],
    ['signatures that are no list', { ...envelope, signatures: { length: 1 } }],
    ['a signature that is no object', { ...envelope, signatures: [signature, 'x'] }],
    ['a signature that is no base64', { ...envelope, signatures: [signature, { sig: '?' }] }],
    ['a signature without bytes', { ...envelope, signatures: [signature, {}] }],
    ['a key id that is no text', { ...envelope, signatures: [{ ...signature, keyid: 1 }] }],
    ['a payload that is no base64', { ...envelope, payload: '?' }],
    ['a payload that is no text', { ...envelope, payload: 1 }],
    ['no type', { ...envelope, payloadType: undefined }],
    ['a type that is no text', { ...envelope, payloadType: 1 }],
  ] as const)
    it(`is malformed with ${what}`, () => {
      for (const form of [value, { envelope: value }])
        expect(malformed(form)).to.equal('the envelope is not DSSE with strict base64');
    });

  it('is an object', () => {
    for (const value of [[], 'x', null]) expect(malformed({ envelope: value })).to.match(/^the envelope is not DSSE/);
    for (const value of [[], 'x', null, undefined]) expect(malformed(value)).to.match(/^the artefact is not a JSON/);
  });
});
