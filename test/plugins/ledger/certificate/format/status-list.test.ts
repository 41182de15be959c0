import { expect } from 'chai';
import {
  decodeList,
  encodeList,
  isSet,
  listLength,
  listOf,
  purposeOf,
} from '../../../../../plugins/ledger/certificate/format/status-list.ts';

describe('a status list', () => {
  it('reads the list that the recommendation shows: 131 072 entries, none of them set', () => {
    const bits =
      decodeList('uH4sIAAAAAAAAA-3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAIC3AYbSVKsAQAAA') ?? new Uint8Array();
    expect(bits.length * 8).to.equal(131_072);
    expect(bits.every((byte) => byte === 0)).to.equal(true);
  });

  it('holds what was set and nothing else, the first entry leftmost', () => {
    const set = [0, 9, 94_567, listLength - 1];
    const bits = decodeList(encodeList(set)) ?? new Uint8Array();
    expect(bits[0]).to.equal(0x80);
    expect(bits[1]).to.equal(0x40);
    const found = Array.from({ length: listLength }, (_, index) => index).filter((index) => isSet(bits, index));
    expect(found).to.deep.equal(set);
    expect(isSet(bits, listLength)).to.equal(undefined);
  });

  it('refuses an entry it does not have', () => {
    expect(() => encodeList([listLength])).to.throw('no entry');
    expect(() => encodeList([-1])).to.throw('no entry');
  });

  it('is not read when it is no list, too short, or grows without end', async () => {
    const { gzipSync } = await import('node:zlib');
    const packed = (bytes: number): string => `u${gzipSync(new Uint8Array(bytes)).toString('base64url')}`;
    for (const text of ['', 'u', 'uAAAA', encodeList([]).slice(1), packed(1024), packed(1_048_577)])
      expect(decodeList(text), text.slice(0, 20)).to.equal(undefined);
    expect(decodeList(packed(1_048_576))).to.have.length(1_048_576);
  });

  it('has one purpose, told by its number', () => {
    expect([listOf('revocation', 0), listOf('suspension', 0), listOf('revocation', 1)]).to.deep.equal([1, 2, 3]);
    expect([1, 2, 3].map(purposeOf)).to.deep.equal(['revocation', 'suspension', 'revocation']);
  });
});
