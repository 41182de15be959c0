import { expect } from 'chai';
import fc from 'fast-check';
import {
  decodeAnyBase64,
  decodeBase64,
  decodeBase64Url,
  encodeBase64,
  encodeBase64Url,
} from '../../../../plugins/receipts/format/base64.ts';

describe('base64', () => {
  it('encodes as the runtime does and decodes what it encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(encodeBase64(bytes)).to.equal(Buffer.from(bytes).toString('base64'));
        expect(encodeBase64Url(bytes)).to.equal(Buffer.from(bytes).toString('base64url'));
        expect(decodeBase64(encodeBase64(bytes))).to.deep.equal(bytes);
        expect(decodeBase64Url(encodeBase64Url(bytes))).to.deep.equal(bytes);
      }),
    );
  });

  for (const text of [
    'YQ',
    'YQ=',
    'YQ===',
    'YR==',
    'YWI',
    'YWJ=',
    'Y Q==',
    'YQ==\n',
    '====',
    '=',
    'Y===',
    '-_-_',
    'YQ==YQ==',
    'ä+++',
  ])
    it(`refuses ${JSON.stringify(text)}, which the runtime decodes without a word`, () => {
      expect(decodeBase64(text)).to.equal(undefined);
    });

  it('accepts either alphabet where a verifier must, and never a mixture', () => {
    const bytes = Uint8Array.of(251, 255, 191, 1);
    for (const text of ['+/+/AQ==', '-_-_AQ', '-_-_AQ==']) expect(decodeAnyBase64(text), text).to.deep.equal(bytes);
    for (const text of ['+_+/AQ==', '-/-_AQ', '-_-_AR', '+/+/AQ='])
      expect(decodeAnyBase64(text), text).to.equal(undefined);
  });
});
