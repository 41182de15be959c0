import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { pathOf } from '../../../../plugins/console/app/screens/receipts/path.ts';
import { startPlatform } from '../../../helpers/platform.ts';

const hash = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** Hashes entries from one to another, by the definition of RFC 9162. */
function rootOf(from: number, to: number): Buffer {
  if (from === to) return hash(Buffer.of(0), Buffer.from(String(from)));
  let left = 1;
  while (left * 2 < to - from + 1) left *= 2;
  return hash(Buffer.of(1), rootOf(from, from + left - 1), rootOf(from + left, to));
}

describe('the drawn path from an entry to the root of the log', () => {
  it('leads to the root, for each entry of logs of each size', () => {
    for (let size = 1; size <= 33; size += 1)
      for (let index = 0; index < size; index += 1) {
        const found = pathOf(index, size).reduce(
          (own, { side, from, to }) => {
            const other = rootOf(from, to);
            return side === 'left' ? hash(Buffer.of(1), other, own) : hash(Buffer.of(1), own, other);
          },
          rootOf(index, index),
        );
        expect(found.equals(rootOf(0, size - 1)), `entry ${index} of ${size}`).to.equal(true);
      }
  });

  it('has a step for each hash of the proof that the server sends', async () => {
    const platform = await startPlatform();
    try {
      const { receipts } = (await platform.call('GET', '/receipts')).body;
      expect(receipts).to.have.length.above(3);
      for (const { receipt_id } of receipts) {
        const { index, tree_size: size, hashes } = (await platform.call('GET', `/receipts/${receipt_id}`)).body.proof;
        expect(pathOf(index, size)).to.have.lengthOf(hashes.length);
      }
    } finally {
      await platform.stop();
    }
  });

  for (const [index, size, steps] of [
    [0, 1, []],
    [5, 3, []],
    [2, 3, [{ side: 'left', from: 0, to: 1 }]],
    [
      2 ** 40,
      2 ** 40 + 2,
      [
        { side: 'right', from: 2 ** 40 + 1, to: 2 ** 40 + 1 },
        { side: 'left', from: 0, to: 2 ** 40 - 1 },
      ],
    ],
  ] as const)
    it(`names the entries that are added: entry ${index} of ${size}`, () => {
      expect(pathOf(index, size)).to.deep.equal(steps);
    });
});
