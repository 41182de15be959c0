import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { checksum, displayPrefix, generateToken, isToken, tokenDigest } from '../../../plugins/api-keys/token.ts';

// CRC-32 of 123456789 is the check value of the catalogue (0xCBF43926); the Base62 forms were computed apart.
const sums = [
  { of: '', is: '000000' },
  { of: '123456789', is: '3jZRME' },
  { of: 'a', is: '4GEHKN' },
  { of: 'x31', is: '006Bzk' },
  { of: 'The quick brown fox jumps over the lazy dog', is: '1C9bYH' },
  { of: `orb_live_${'0'.repeat(32)}`, is: '0mJc35' },
  { of: `orb_test_${'z'.repeat(32)}`, is: '3kJqOO' },
];

const good = `orb_live_${'0'.repeat(32)}0mJc35`;
const bad = [
  { name: 'nothing', token: '' },
  { name: 'a wrong checksum', token: `${good.slice(0, -1)}6` },
  { name: 'a changed character', token: good.replace('orb_live_0', 'orb_live_1') },
  {
    name: 'two characters that changed places',
    token: `orb_live_01${'0'.repeat(30)}${checksum(`orb_live_10${'0'.repeat(30)}`)}`,
  },
  { name: 'one character less', token: good.slice(0, -1) },
  { name: 'one character more', token: `${good}0` },
  {
    name: 'another prefix with a fitting checksum',
    token: `orb_prod_${'0'.repeat(32)}${checksum(`orb_prod_${'0'.repeat(32)}`)}`,
  },
  { name: 'a character outside Base62', token: `orb_live_${'-'.repeat(32)}${checksum(`orb_live_${'-'.repeat(32)}`)}` },
  { name: 'a newline at the end', token: `orb_live_${'0'.repeat(31)}${checksum(`orb_live_${'0'.repeat(31)}`)}\n` },
  { name: 'a megabyte', token: 'orb_live_'.padEnd(1_000_000, '0') },
];

describe('api-keys/token', () => {
  for (const { of, is } of sums)
    it(`computes the checksum ${is} of ${JSON.stringify(of)}`, () => {
      expect(checksum(of)).to.equal(is);
    });

  it('accepts a key whose checksum fits', () => {
    expect(isToken(good)).to.equal(true);
    expect(isToken(`orb_test_${'z'.repeat(32)}3kJqOO`)).to.equal(true);
  });

  for (const { name, token } of bad)
    it(`refuses ${name}`, () => {
      expect(isToken(token)).to.equal(false);
    });

  for (const mode of ['live', 'test'] as const)
    it(`makes ${mode} keys of the documented form, each another one`, () => {
      const tokens = Array.from({ length: 200 }, () => generateToken(mode));
      for (const token of tokens) {
        expect(token).to.match(new RegExp(`^orb_${mode}_[0-9A-Za-z]{38}$`));
        expect(isToken(token)).to.equal(true);
      }
      expect(new Set(tokens).size).to.equal(200);
    });

  it('throws random bytes away that would favour some characters', () => {
    const asked: number[] = [];
    const random = (size: number): Uint8Array => {
      asked.push(size);
      // The first answer holds only bytes from 248 on; the second counts up from 0.
      return Uint8Array.from({ length: size }, (_, index) => (asked.length === 1 ? 248 + (index % 8) : index));
    };
    expect(generateToken('live', random)).to.match(/^orb_live_0123456789ABCDEFGHIJKLMNOPQRSTUV/);
    expect(asked).to.have.length(2);
  });

  it('uses each character equally often', () => {
    let next = 0;
    const everyByte = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => next++ % 256);
    const counts = new Map<string, number>();
    // 62 keys take 8 rounds of the 248 bytes that count: 32 of each character.
    for (let made = 0; made < 62; made += 1)
      for (const character of generateToken('live', everyByte).slice(9, 41))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).to.equal(62);
    for (const count of counts.values()) expect(count).to.be.within(24, 40);
  });

  it('stores the SHA-256 of the whole text', () => {
    expect(tokenDigest(good).equals(createHash('sha256').update(good).digest())).to.equal(true);
  });

  it('shows four characters of the secret part and no more', () => {
    expect(displayPrefix(`orb_test_ab12${'z'.repeat(34)}`)).to.equal('orb_test_ab12…');
  });
});
