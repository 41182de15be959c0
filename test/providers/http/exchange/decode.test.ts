import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { decode } from '../../../../providers/http/exchange/decode.ts';

describe('a content coding', () => {
  const text = 'x'.repeat(100);
  const coded = {
    gzip: gzipSync(text),
    'x-gzip': gzipSync(text),
    deflate: deflateSync(text),
    br: brotliCompressSync(text),
  };

  for (const coding of ['gzip', 'x-gzip', 'deflate', 'br'] as const) {
    it(`${coding} is undone up to the cap, and the body is whole when it just fits`, async () => {
      const fits = await decode(coded[coding], coding, 100);
      expect([fits.bytes.toString(), fits.whole, fits.broken]).to.deep.equal([text, true, false]);
      const cut = await decode(coded[coding], coding, 99);
      expect([cut.bytes.length, cut.whole, cut.broken]).to.deep.equal([99, false, false]);
    });

    it(`${coding} that is none is broken`, async () => {
      const { broken, whole } = await decode(Buffer.from('no coding'), coding, 100);
      expect([broken, whole]).to.deep.equal([true, false]);
    });
  }
});
