import { expect } from 'chai';
import { digestBuiltins } from '../../../../plugins/policy/builtins/digest.ts';

const ask = (name: string, ...given: readonly unknown[]): unknown => digestBuiltins[name]?.(...given);

describe('the digests of policies', () => {
  // RFC 1321 A.5, RFC 3174, FIPS 180-2 and RFC 2202: what is published of these functions.
  for (const [name, given, answer] of [
    ['crypto.md5', ['abc'], '900150983cd24fb0d6963f7d28e17f72'],
    ['crypto.sha1', ['abc'], 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['crypto.sha256', ['abc'], 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['crypto.hmac.md5', ['what do ya want for nothing?', 'Jefe'], '750c783e6ab0b503eaa86e310a5db738'],
    ['crypto.hmac.sha1', ['what do ya want for nothing?', 'Jefe'], 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79'],
    ['hex.encode', ['Ä1'], 'c38431'],
    ['hex.decode', ['C38431'], 'Ä1'],
    ['hex.decode', [''], ''],
    ['base64url.encode_no_pad', ['a?>'], 'YT8-'],
    ['base64url.encode_no_pad', ['a'], 'YQ'],
    ['crypto.hmac.equal', ['ab', 'ab'], true],
    ['crypto.hmac.equal', ['ab', 'ac'], false],
    ['crypto.hmac.equal', ['ab', 'abc'], false],
    ['crypto.hmac.equal', ['', ''], true],
  ] as const)
    it(`${name} of ${JSON.stringify(given)} is ${JSON.stringify(answer)}`, () => {
      expect(ask(name, ...given)).to.equal(answer);
    });

  for (const text of ['a', 'abc', '0x12', 'zz', '12 34'])
    it(`hex.decode refuses '${text}'`, () => {
      expect(() => ask('hex.decode', text)).to.throw('hex.decode: the text is not hexadecimal');
    });

  it('are of texts alone', () => {
    for (const name of Object.keys(digestBuiltins))
      expect(() => ask(name, 1, 'a'), name).to.throw(`${name}: an argument must be a string`);
  });
});
