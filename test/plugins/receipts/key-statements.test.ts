import { expect } from 'chai';
import { thumbprint } from '../../../plugins/receipts/format/jwk.ts';
import { verify } from '../../../plugins/receipts/verifier/verify.ts';
import { at, jwk, origin, raw, signedAs } from './other-facts.ts';
import { vectors, vectorTrust } from './sample.ts';

const otherRaw = new Uint8Array(32).fill(9);

describe('what a signing key says of itself and of others', () => {
  const ownKid = vectors.keys.receipt_kid_rfc7638;
  const ownJwk = { kty: 'OKP', crv: 'Ed25519', x: 'C7w0aldmfDgBIL2cf9flHSxf3-o3zS9b9AWyxr9vLXg' };
  const from = { origin, index: 3 };
  const key = (kid: string, facts: object) => signedAs('key', { kid, at }, facts, kid);
  const other = { kid: thumbprint(raw), public_key: jwk };
  for (const [name, artefact] of [
    ['a receipt key that makes itself known', key(ownKid, { role: 'receipt', change: 'created', public_key: ownJwk })],
    [
      'a receipt key that the old one names',
      key(other.kid, { role: 'receipt', change: 'rotated', public_key: jwk, previous_kid: ownKid }),
    ],
    [
      'a receipt key that its successor revokes',
      key(other.kid, { role: 'receipt', change: 'revoked', public_key: jwk, from, reason: 'lost' }),
    ],
    ['a certificate key', key(other.kid, { role: 'certificate', change: 'created', public_key: jwk })],
    [
      'a log key',
      key(other.kid, { role: 'log', change: 'created', public_key: jwk, origin, vkey: 'v', previous_checkpoint: 'c' }),
    ],
  ] as const)
    it(`accepts ${name}`, () => {
      const report = verify(artefact, vectorTrust);
      expect(report.overall, JSON.stringify(report.checks)).to.equal('VERIFIED');
    });

  for (const [name, kid, facts, fault] of [
    [
      'a key under another id',
      thumbprint(otherRaw),
      { role: 'certificate', change: 'created', public_key: jwk },
      'key id',
    ],
    ['a log key without its log', other.kid, { role: 'log', change: 'created', public_key: jwk }, 'names its log'],
    [
      'a log key without its vkey',
      other.kid,
      { role: 'log', change: 'created', public_key: jwk, origin },
      'names its log',
    ],
    [
      'a certificate key of a log',
      other.kid,
      { role: 'certificate', change: 'created', public_key: jwk, origin, vkey: 'v' },
      'names its log',
    ],
    [
      'a checkpoint beside a certificate key',
      other.kid,
      { role: 'certificate', change: 'created', public_key: jwk, previous_checkpoint: 'c' },
      'carries a checkpoint',
    ],
    [
      'a rotation from nowhere',
      other.kid,
      { role: 'certificate', change: 'rotated', public_key: jwk },
      'the key before it',
    ],
    [
      'a rotation from itself',
      other.kid,
      { role: 'certificate', change: 'rotated', public_key: jwk, previous_kid: other.kid },
      'the key before it',
    ],
    [
      'a revocation without a position',
      other.kid,
      { role: 'certificate', change: 'revoked', public_key: jwk, reason: 'lost' },
      'a position',
    ],
    [
      'a revocation without a reason',
      other.kid,
      { role: 'certificate', change: 'revoked', public_key: jwk, from },
      'a reason',
    ],
    [
      'a creation with a position',
      other.kid,
      { role: 'certificate', change: 'created', public_key: jwk, from },
      'a position',
    ],
    [
      'a receipt key that another makes known',
      other.kid,
      { role: 'receipt', change: 'created', public_key: jwk },
      'made known by another',
    ],
    [
      'a receipt key that a third one names',
      other.kid,
      { role: 'receipt', change: 'rotated', public_key: jwk, previous_kid: thumbprint(otherRaw) },
      'rotated by another',
    ],
    [
      'a receipt key that revokes itself',
      ownKid,
      { role: 'receipt', change: 'revoked', public_key: ownJwk, from, reason: 'lost' },
      'revoked by itself',
    ],
  ] as const)
    it(`rejects ${name}, though it is signed and logged`, () => {
      const report = verify(key(kid, facts), vectorTrust);
      expect([report.overall, report.exit]).to.deep.equal(['REJECTED', 2]);
      expect(report.checks.find(({ result }) => result === 'fail')?.detail).to.include(fault);
    });
});
