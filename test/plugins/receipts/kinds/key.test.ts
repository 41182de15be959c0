import { expect } from 'chai';
import { encodeBase64Url } from '../../../../plugins/receipts/format/base64.ts';
import { thumbprint } from '../../../../plugins/receipts/format/jwk.ts';
import { keyRules } from '../../../../plugins/receipts/kinds/key.ts';
import type { OtherPredicate } from '../../../../plugins/receipts/kinds/predicate.ts';

const raw = new Uint8Array(32).fill(7);
const kid = thumbprint(raw);
const [old, next] = ['O'.repeat(43), 'N'.repeat(43)];
const public_key = { kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(raw) };
const position = { origin: 'orb/0', index: 3 };
const log = { role: 'log', origin: 'orb/1', vkey: 'v' };

function faultsOf(facts: object, issuer = kid, named = kid): string[] {
  const predicate = { kid: named, issuer: { kid: issuer }, facts: { public_key, ...facts } };
  return keyRules(predicate as unknown as OtherPredicate).flatMap(([agrees, fault]) => (agrees ? [] : [fault]));
}

const wrongKey = 'the key id is not that of the public key';
const wrongLog = 'a log key alone names its log';
const wrongCheckpoint = 'a new log or an adopted one alone carries a checkpoint';
const wrongAddition = 'a receipt key alone is added, and by one that is known';
const wrongBounds = 'a revocation alone has bounds in other logs';
const wrongAdoption = 'a log alone is adopted, with its last checkpoint';
const wrongRotation = 'a rotation names the key before it';
const wrongRevocation = 'a revocation alone has a position, and a reason';
const wrongMaker = 'a new receipt key is made known by another key';
const wrongRotator = 'a receipt key is rotated by another than the old one';
const wrongRevoker = 'a receipt key is revoked by itself';

describe('the fact of a signing key', () => {
  const created = { role: 'receipt', change: 'created' };
  const certificate = { role: 'certificate', change: 'created' };
  const rotated = { role: 'receipt', change: 'rotated', previous_kid: old };
  const revoked = { role: 'receipt', change: 'revoked', from: position, reason: 'x' };
  for (const [what, facts, issuer] of [
    ['a receipt key made known by itself', created, kid],
    ['a certificate key made known by the receipt key', certificate, old],
    ['a receipt key rotated by the old one', rotated, old],
    ['a certificate key rotated by the receipt key', { ...rotated, role: 'certificate' }, next],
    ['a receipt key revoked by its successor', revoked, next],
    ['a certificate key revoked by the receipt key', { ...revoked, role: 'certificate' }, next],
    ['a new log with the last checkpoint of the old', { ...log, change: 'created', previous_checkpoint: 'n' }, old],
    ['a receipt key of another node, made known by a key that is known', { role: 'receipt', change: 'added' }, old],
    ['a revocation with bounds in other logs', { ...revoked, stands: [position] }, next],
    ['a log that is adopted, with its last checkpoint', { ...log, change: 'adopted', previous_checkpoint: 'n' }, old],
    ['a log key that is rotated', { ...log, change: 'rotated', previous_kid: old }, next],
  ] as const)
    it(`may be of ${what}`, () => {
      expect(faultsOf(facts, issuer)).to.deep.equal([]);
    });

  for (const [what, facts, issuer, faults] of [
    [
      'a public key of 31 bytes',
      { ...certificate, public_key: { x: encodeBase64Url(raw.subarray(1)) } },
      kid,
      [wrongKey],
    ],
    ['a public key that is not base64url', { ...certificate, public_key: { x: '=' } }, kid, [wrongKey]],
    ['a receipt key that names a log', { ...created, origin: 'orb/1' }, kid, [wrongLog]],
    ['a receipt key with a vkey', { ...created, vkey: 'v' }, kid, [wrongLog]],
    ['a log key without its log', { ...log, origin: undefined, change: 'created' }, old, [wrongLog]],
    ['a log key without its vkey', { ...log, vkey: undefined, change: 'created' }, old, [wrongLog]],
    ['a checkpoint of a receipt key', { ...created, previous_checkpoint: 'n' }, kid, [wrongCheckpoint]],
    [
      'a checkpoint of a log key that is rotated',
      { ...log, change: 'rotated', previous_kid: old, previous_checkpoint: 'n' },
      old,
      [wrongCheckpoint],
    ],
    ['a receipt key that adds itself', { role: 'receipt', change: 'added' }, kid, [wrongAddition]],
    ['a certificate key that is added', { ...certificate, change: 'added' }, old, [wrongAddition]],
    ['bounds without a revocation', { ...certificate, stands: [position] }, old, [wrongBounds]],
    ['an adopted log without its checkpoint', { ...log, change: 'adopted' }, old, [wrongAdoption]],
    ['an adopted certificate key', { ...certificate, change: 'adopted' }, old, [wrongAdoption]],
    ['a rotation without the key before', { role: 'certificate', change: 'rotated' }, old, [wrongRotation]],
    ['a rotation of a key by itself', { ...rotated, role: 'certificate', previous_kid: kid }, old, [wrongRotation]],
    ['a position without a revocation', { ...created, from: position }, kid, [wrongRevocation]],
    ['a revocation without its position', { ...revoked, from: undefined }, next, [wrongRevocation]],
    ['a revocation without its reason', { ...revoked, reason: undefined }, next, [wrongRevocation]],
    ['a receipt key made known by another', created, old, [wrongMaker]],
    ['a receipt key rotated by itself', rotated, kid, [wrongRotator]],
    ['a receipt key rotated by a third one', rotated, next, [wrongRotator]],
    ['a receipt key revoked by itself', revoked, kid, [wrongRevoker]],
  ] as readonly (readonly [string, object, string, string[]])[])
    it(`may not be of ${what}`, () => {
      expect(faultsOf(facts, issuer)).to.deep.equal(faults);
    });

  it('is named by the id of its public key', () => {
    expect(faultsOf(certificate, old, next)).to.deep.equal([wrongKey]);
  });
});
