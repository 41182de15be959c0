import { expect } from 'chai';
import { createKeyring, type Keyring } from '../../../plugins/api-keys/keyring.ts';
import type { StoredKey } from '../../../plugins/api-keys/store.ts';
import { generateToken, tokenDigest } from '../../../plugins/api-keys/token.ts';
import { holdClock, type HeldClock } from './started.ts';

function storedKey(token: string, given: Partial<StoredKey['key']> = {}): StoredKey {
  return {
    hash: tokenDigest(token),
    key: {
      key_id: `key_${token}`,
      principal: 'prn_1',
      principal_name: 'one',
      tenant: 'acme',
      name: 'one',
      prefix: 'orb_live_…',
      scopes: ['orbs:read'],
      mode: 'live',
      created_at: '2026-11-21T12:00:00.000Z',
      ...given,
    },
  };
}

describe('api-keys/keyring', () => {
  const token = generateToken('live');
  let clock: HeldClock;
  let uses: { keyId: string; at: number }[];
  let keyring: Keyring;

  beforeEach(() => {
    clock = holdClock();
    uses = [];
    keyring = createKeyring(clock, (keyId, at) => uses.push({ keyId, at }), [storedKey(token)]);
  });

  it('answers the principal of a key, and the same frozen object each time', () => {
    const principal = keyring.authenticate({ token });
    expect(principal).to.deep.equal({
      id: 'prn_1',
      key_id: `key_${token}`,
      tenant: 'acme',
      scopes: ['orbs:read'],
      mode: 'live',
    });
    expect(Object.isFrozen(principal)).to.equal(true);
    expect(Object.isFrozen(principal?.scopes)).to.equal(true);
    expect(keyring.authenticate({ token })).to.equal(principal);
  });

  for (const [name, unknown] of [
    ['a well-formed key it does not have', generateToken('live')],
    ['a malformed key', 'orb_live_x'],
    ['a key in another case', token.toUpperCase()],
  ] as const)
    it(`stays silent on ${name}`, () => {
      expect(keyring.authenticate({ token: unknown })).to.equal(undefined);
      expect(uses).to.deep.equal([]);
    });

  describe('on a key whose record holds another digest by now', () => {
    let hash: Buffer;
    let forged: Keyring;

    beforeEach(() => {
      hash = tokenDigest(token);
      forged = createKeyring(clock, () => undefined, [{ ...storedKey(token), hash }]);
    });

    it('stays silent', () => {
      hash.fill(0);
      expect(forged.authenticate({ token })).to.equal(undefined);
    });

    it('stays silent a minute after it was used at the latest', () => {
      forged.authenticate({ token });
      hash.fill(0);
      clock.move(59_999);
      expect(forged.authenticate({ token })).not.to.equal(undefined);
      clock.move(1);
      expect(forged.authenticate({ token })).to.equal(undefined);
    });

    it('stays silent once a thousand other keys were used', () => {
      forged.authenticate({ token });
      hash.fill(0);
      const others = Array.from({ length: 1024 }, () => generateToken('live'));
      for (const other of others) forged.add(storedKey(other));
      for (const other of others) forged.authenticate({ token: other });
      expect(forged.authenticate({ token })).to.equal(undefined);
    });
  });

  it('stays silent from the moment a key expires', () => {
    const short = generateToken('test');
    keyring.add(storedKey(short, { mode: 'test', expires_at: '2026-11-21T12:00:01.000Z' }));
    clock.move(999);
    expect(keyring.authenticate({ token: short })?.mode).to.equal('test');
    clock.move(1);
    expect(keyring.authenticate({ token: short })).to.equal(undefined);
  });

  it('stays silent on a key that was removed, and keeps the others', () => {
    const other = generateToken('live');
    keyring.add(storedKey(other));
    keyring.authenticate({ token });
    keyring.remove(`key_${token}`);
    keyring.remove(`key_${token}`);
    expect(keyring.authenticate({ token })).to.equal(undefined);
    expect(keyring.authenticate({ token: other })?.key_id).to.equal(`key_${other}`);
  });

  it('tells of a use at most once a minute', () => {
    const begun = clock.now();
    for (const step of [0, 30_000, 29_999, 1, 59_999]) {
      clock.move(step);
      keyring.authenticate({ token });
    }
    expect(uses.map(({ at }) => at - begun)).to.deep.equal([0, 60_000]);
  });

  it('goes on telling of uses when a clock that ran ahead was set right', () => {
    clock.move(86_400_000);
    keyring.authenticate({ token });
    clock.move(-86_400_000);
    keyring.authenticate({ token });
    expect(uses.map(({ at }) => at - clock.now())).to.deep.equal([86_400_000, 0]);
  });

  it('counts the minute from the stored last use after a start', () => {
    const again = createKeyring(clock, (keyId, at) => uses.push({ keyId, at }), [
      storedKey(token, { last_used_at: '2026-11-21T11:59:30.000Z' }),
    ]);
    again.authenticate({ token });
    expect(uses).to.deep.equal([]);
    clock.move(30_000);
    again.authenticate({ token });
    expect(uses).to.have.length(1);
  });
});
