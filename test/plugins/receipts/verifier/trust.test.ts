import { expect } from 'chai';
import { trustOf } from '../../../../plugins/receipts/verifier/trust.ts';
import { checkSignature } from '../../../../plugins/receipts/verifier/signature.ts';
import { vectorKeys } from '../sample.ts';

const [receipt, log] = vectorKeys.keys as unknown as [Record<string, unknown>, Record<string, unknown>];
const keys = (change: object) => trustOf([{ ...receipt, ...change }]).keys;

describe('the keys of a JWK Set', () => {
  it('are those of Ed25519, with an id', () => {
    for (const jwk of [
      ...[null, [], 'x', { ...receipt, kty: 'EC' }, { ...receipt, crv: 'X25519' }, { ...receipt, x: undefined }],
      ...[
        { ...receipt, x: 'AA' },
        { ...receipt, x: '?' },
        { ...receipt, kid: undefined },
        { ...receipt, kid: 1 },
      ],
    ])
      expect(trustOf([jwk]).keys, JSON.stringify(jwk)).to.deep.equal([]);
    expect(trustOf([receipt, 'x', log]).keys).to.have.length(2);
  });

  for (const [status, revoked] of [
    ['active', false],
    ['retired', false],
    ['revoked', true],
    ['lost', true],
    [undefined, true],
  ] as const)
    it(`of the status ${status} are ${revoked ? '' : 'not '}revoked`, () => {
      expect(keys({ status })[0]?.revoked).to.equal(revoked);
    });

  for (const [what, revoked_at, known] of [
    ['a log and an index', { origin: 'log', index: 0 }, true],
    ['no log', { index: 0 }, false],
    ['no index', { origin: 'log' }, false],
    ['an index below 0', { origin: 'log', index: -1 }, false],
    ['an index that is no whole number', { origin: 'log', index: 0.5 }, false],
    ['an index that is a text', { origin: 'log', index: '0' }, false],
    ['a list', [], false],
  ] as const)
    it(`are revoked ${known ? 'from a place on' : 'from the beginning'} with ${what}`, () => {
      const [key] = keys({ status: 'revoked', revoked_at });
      expect(key?.revokedAt).to.deep.equal(known ? { origin: 'log', index: 0n } : undefined);
    });

  it('have no role and no log unless these are texts', () => {
    expect(keys({ role: 1, origin: 1 })[0])
      .to.include({ role: '' })
      .and.not.to.have.property('origin');
    expect(keys({ role: 'x', origin: 'y' })[0]).to.include({ role: 'x', origin: 'y' });
  });

  it('sign for a log when they have its role and name, and fit their id', () => {
    const logs = (change: object) => trustOf([{ ...log, ...change }]).policy?.logs.map(({ name }) => name);
    expect(logs({})).to.deep.equal([log['origin']]);
    for (const change of [{ role: 'receipt' }, { origin: undefined }, { origin: 'a b' }, { kid: 'x' }])
      expect(logs(change), JSON.stringify(change)).to.deep.equal([]);
  });
});

describe('the signature of an envelope', () => {
  const envelope = (...signatures: object[]) => ({
    ...{ payloadType: 't', payload: new Uint8Array() },
    signatures: signatures as { keyid?: string; signature: Uint8Array }[],
  });
  const good = { signature: Uint8Array.of(1) };
  const bad = { signature: Uint8Array.of(0) };
  const found = (given: ReturnType<typeof envelope>, ...jwks: object[]) => {
    const { checks, key } = checkSignature(given, trustOf(jwks), (_key, _message, [first]) => first === 1);
    return [...checks.map(({ result }) => result), key?.kid, checks[1].detail ?? checks[0].detail];
  };
  const { kid } = receipt;
  const passed = ['pass', 'pass', kid, undefined];
  const failed = ['fail', 'pass', undefined, 'no trusted key signed the payload'];
  const unpinned = 'the key that signed is not among the pinned receipt keys';
  const unknown = ['not_checked', 'fail', undefined, unpinned];
  const foreign = ['not_checked', 'fail', undefined, 'a pinned key does not match its key id'];

  for (const [what, signatures, jwks, result] of [
    ['without a key id', [good], [log, receipt], passed],
    ['under the key’s id', [{ ...good, keyid: kid }], [receipt], passed],
    ['after one that does not fit', [bad, good], [receipt], passed],
    ['after one of a stranger', [{ ...bad, keyid: 'x' }, good], [receipt], passed],
    ['that does not fit', [bad], [receipt], failed],
    ['under another id', [{ ...good, keyid: 'x' }], [receipt], unknown],
    ['of a key of another role', [good], [{ ...receipt, role: 'certificate' }], unknown],
    ['when no key is pinned', [good], [], unknown],
    ['of a key that does not fit its id', [good], [{ ...receipt, kid: 'x' }], foreign],
  ] as readonly (readonly [string, object[], object[], unknown[]])[])
    it(`${String(result[0])}: ${what}`, () => {
      expect(found(envelope(...signatures), ...jwks)).to.deep.equal(result);
    });
});
