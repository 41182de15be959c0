import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import {
  equal,
  findSecret,
  fromBase64,
  joined,
  skewWithin,
} from '../../../../../plugins/ingestion/sources/auth/hmac.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const mac = (text: string, key: string): Uint8Array => createHmac('sha256', key).update(text).digest();
const secrets = ['a', 'b', 'c', 'd'].map((text, index) => ({ version: index + 1, text }));
const noise = (count: number): readonly Uint8Array[] =>
  Array.from({ length: count }, (_, index) => mac(String(index), 'x'));

describe('a MAC', () => {
  const find = (presented: readonly Uint8Array[], more: Partial<Parameters<typeof findSecret>[0]> = {}) =>
    findSecret({ algorithm: 'sha256', secrets, signed: [bytes('body')], presented, ...more });
  const rows: readonly (readonly [string, number | undefined, number | undefined])[] = [
    ['is that of the first secret', find([mac('body', 'a')]), 1],
    ['is that of the third secret', find([mac('body', 'c')]), 3],
    ['is not that of a fourth', find([mac('body', 'd')]), undefined],
    ['is the first that fits', find([mac('body', 'b'), mac('body', 'a')]), 1],
    ['is one of any signed bytes', find([mac('other', 'b')], { signed: [bytes('body'), bytes('other')] }), 2],
    ['is not that of other bytes', find([mac('other', 'a')]), undefined],
    ['is looked for in ten entries', find([...noise(9), mac('body', 'a')]), 1],
    ['is not looked for in an eleventh', find([...noise(10), mac('body', 'a')]), undefined],
    ['is not that of no secret', find([mac('body', '')], { secrets: [] }), undefined],
    [
      'is made with the key of a secret',
      find([mac('body', 'key of b')], { keyOf: (text) => bytes(`key of ${text}`) }),
      2,
    ],
    ['is not that of a secret without a key', find([mac('body', 'a')], { keyOf: () => undefined }), undefined],
  ];
  for (const [name, found, expected] of rows)
    it(name, () => {
      expect(found).to.equal(expected);
    });
});

describe('texts and bytes', () => {
  it('are equal or not, whatever their lengths', () => {
    expect([equal('a', 'a'), equal('a', bytes('a')), equal('a', 'b'), equal('a', 'aa'), equal('', '')]).to.deep.equal([
      ...[true, true, false, false, true],
    ]);
  });

  it('are joined', () => {
    expect(Buffer.from(joined('a.', bytes('b'))).toString()).to.equal('a.b');
  });

  it('are not base64 when they are empty', () => {
    expect(fromBase64('')).to.equal(undefined);
  });
});

describe('a signed time', () => {
  const now = 1_000_000_000;
  const rows: readonly (readonly [string | undefined, number | undefined])[] = [
    ['1000000', 0],
    ['999700', -300_000],
    ['999699', undefined],
    ['1000060', 60_000],
    ['1000061', undefined],
    ['', undefined],
    [' 1000000', undefined],
    ['1000000.5', undefined],
    ['0x0', undefined],
    [undefined, undefined],
  ];
  for (const [seconds, expected] of rows)
    it(`of ${JSON.stringify(seconds) ?? 'none'} is ${expected === undefined ? 'out of tolerance' : `${expected} ms off`}`, () => {
      expect(skewWithin(seconds, 300, now)).to.equal(expected);
    });
});
