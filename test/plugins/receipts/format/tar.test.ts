import { expect } from 'chai';
import { tar } from '../../../../plugins/receipts/format/tar.ts';

async function archive(path: string, content: string | Uint8Array, seconds = 0): Promise<Buffer[]> {
  const chunks: Buffer[] = [];

  const files = async function* () {
    yield { path, content };
  };
  for await (const chunk of tar(files(), seconds)) chunks.push(Buffer.from(chunk));
  return chunks;
}

describe('an archive', () => {
  it('has for each file a header and the content up to a whole block, and ends in two empty blocks', async () => {
    for (const [bytes, blocks] of [
      [0, 1],
      [1, 2],
      [512, 2],
      [513, 3],
    ] as const) {
      const [file, end, ...more] = await archive('a', new Uint8Array(bytes).fill(7));
      expect([file?.length, end?.length, more.length], `${bytes}`).to.deep.equal([blocks * 512, 1024, 0]);
      expect(file?.subarray(512).every((byte, at) => byte === (at < bytes ? 7 : 0))).to.equal(true);
      expect(end?.every((byte) => byte === 0)).to.equal(true);
    }
  });

  it('says when its files were made, and how long they are in bytes', async () => {
    const [file] = await archive('a', '\u00e4\u00f6', 1_700_000_000);
    const number = (at: number): number => parseInt(file?.toString('latin1', at, at + 11) ?? '', 8);
    expect([number(136), number(124)]).to.deep.equal([1_700_000_000, 4]);
  });

  it('takes a path of 100 letters, and cuts none that is longer', async () => {
    const [file] = await archive('p'.repeat(100), '');
    expect(file?.toString('latin1', 0, 101)).to.equal(`${'p'.repeat(100)}0`);
    const error = await archive('p'.repeat(101), '').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(RangeError);
  });
});
